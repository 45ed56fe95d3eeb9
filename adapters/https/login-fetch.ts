import type { IncomingMessage } from 'node:http';
import { maxProviderDocumentBytes, trustedFetchTimeout } from '../../contract/bounds.ts';
import { UnavailableError } from '../../core/errors.ts';
import { readBytes } from '../../core/read-bytes.ts';
import { inTime } from '../deadline.ts';
import { openResponse } from './open-response.ts';

/** What a library for OpenID passes to its fetch. */
interface LoginFetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

async function readResponse(response: IncomingMessage): Promise<Response> {
  try {
    const body = await readBytes(response, maxProviderDocumentBytes);
    if (body === undefined) throw new Error('the response is too large');
    const headers = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    const status = response.statusCode ?? 0;
    return new Response(body.length === 0 ? null : new Uint8Array(body), { status, headers });
  } finally {
    response.destroy();
  }
}

/**
 * Fetches from the OpenID provider of the portal's login, in place of the global `fetch`: that one
 * loses its signal while it reads a body, so a response could have no end. Redirects are not
 * followed.
 *
 * @throws {UnavailableError} if there is no whole response in time.
 */
export async function loginFetch(
  address: string,
  { method, headers, body, signal: outer }: LoginFetchOptions,
): Promise<Response> {
  const url = new URL(address);
  const request = {
    method: method === 'POST' ? ('POST' as const) : ('GET' as const),
    headers: { ...headers, 'accept-encoding': 'identity' },
    body: body instanceof URLSearchParams ? body.toString() : undefined,
  };
  try {
    return await inTime(trustedFetchTimeout, outer, async (signal) =>
      readResponse(await openResponse(url, request, signal)),
    );
  } catch (cause) {
    throw new UnavailableError(`${url.origin} does not answer`, { cause });
  }
}
