import type { IncomingMessage } from 'node:http';

/** A request body that is longer than the server takes. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/**
 * Reads a request's body. What is too much is read and dropped, so that the client, which first
 * sends and then listens, gets an answer and not a broken connection.
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
