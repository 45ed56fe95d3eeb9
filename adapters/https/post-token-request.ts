import { type JsonAnswer, postForm } from './json-document.ts';
import { parseServiceUrl } from './service-url.ts';

export interface PostTokenRequestOptions {
  /** Certificates to trust as well, PEM: the local run's. */
  readonly ca?: string | undefined;
}

/**
 * A client's id and secret. Both contain only characters that RFC 6749 §2.3.1's encoding leaves
 * alone.
 */
interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Milliseconds. OAuth clients wait for 10 s and more. When a region needs as long, it has a
 * problem.
 */
const timeout = 8000;
/** The largest token has less than 12 KiB. */
const maxBytes = 16 * 1024;

/**
 * Requests a token from a token endpoint of this service (RFC 6749 §4.4.2), over a new connection.
 * Plain http is allowed only for the local run on loopback.
 *
 * @returns the JSON of the response, also of an error.
 * @throws {FetchError} if no JSON arrives in time.
 */
export type PostTokenRequest = (url: string, credentials: Credentials) => Promise<JsonAnswer>;

export function createPostTokenRequest({ ca }: PostTokenRequestOptions = {}): PostTokenRequest {
  return (text, { clientId, clientSecret }) => {
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    return postForm(parseServiceUrl(text), form, {
      ca,
      timeout,
      maxBytes,
      headers: { authorization: `Basic ${basic}` },
    });
  };
}
