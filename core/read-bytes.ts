/**
 * Reads a whole stream into memory, counting bytes as they arrive: a header can be wrong.
 *
 * @returns undefined if it has more bytes than allowed.
 */
export async function readBytes(
  stream: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array);
    length += bytes.length;
    if (length > maxBytes) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
