import { maxPortalFormBytes } from '../../contract/limits.ts';
import { HttpError } from '../http-error.ts';

const formType = 'application/x-www-form-urlencoded';

/** The bytes of a body, counted as they arrive, because a header can be wrong. */
async function readBytes(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const body: AsyncIterable<Uint8Array> | null = request.body;
  if (body === null) return new Uint8Array();
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > maxPortalFormBytes) throw new HttpError(413);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads the form of a request.
 *
 * @throws {HttpError} 415 for another type of content, 413 if it is too large.
 */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== formType) throw new HttpError(415);
  return new URLSearchParams(new TextDecoder().decode(await readBytes(request)));
}
