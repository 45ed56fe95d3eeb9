import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject } from '../../contract/json-object.ts';

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
export function readBody(
  request: IncomingMessage,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
    });
    request.on('end', () => {
      if (length <= maxBytes) resolve(Buffer.concat(chunks));
      else reject(new BodyTooLargeError(`the body is longer than ${maxBytes} bytes`));
    });
    request.on('error', reject);
  });
}

/** @returns undefined if the body is no JSON object. */
export function parseJsonObject(body: Buffer): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString());
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
