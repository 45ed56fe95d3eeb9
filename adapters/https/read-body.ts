import type { IncomingMessage } from 'node:http';

/**
 * Reads a whole body into memory.
 *
 * @returns undefined if it has more bytes than allowed.
 */
export async function readBody(
  response: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
