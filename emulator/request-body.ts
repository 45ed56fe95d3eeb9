import type { IncomingMessage } from 'node:http';

/** A request body that is longer than the server allows. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/**
 * Reads a request's body. Bytes beyond the limit are read and dropped: a client that sends its
 * whole body before it reads gets a response instead of a broken connection.
 *
 * @throws {BodyTooLargeError} if there were more than `maxBytes`.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= maxBytes) chunks.push(chunk);
  }
  if (length > maxBytes) throw new BodyTooLargeError(`the body is longer than ${maxBytes} bytes`);
  return Buffer.concat(chunks);
}
