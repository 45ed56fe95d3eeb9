export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses a file that a person wrote. Editors and shells of Windows begin it with a byte order mark,
 * and PowerShell 5 writes UTF-16.
 *
 * @throws {SyntaxError} if it is not JSON.
 */
export function parseJsonFile(bytes: Uint8Array): unknown {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return JSON.parse(new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes));
}
