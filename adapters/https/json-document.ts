import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { FetchError, type FetchProblem } from '../../core/identity-provider/fetch-json.ts';
import { inTime } from '../deadline.ts';
import { openResponse } from './open-response.ts';

export interface JsonDocumentOptions {
  /** Resolves the host. The default is Node's own resolver. */
  readonly lookup?: LookupFunction | undefined;
  /** Certificates to trust as well, PEM. */
  readonly ca?: string | undefined;
  /** Milliseconds for the whole fetch. */
  readonly timeout: number;
  readonly maxBytes: number;
  /** Sent in addition to `Accept`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** RFC 9110 §8.3.1, of a length that real types have. */
const mediaType = /^[\w.+-]{1,64}\/[\w.+-]{1,64}/;

const jsonType = /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i;

/** A JSON response with any status. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

function connect(
  url: URL,
  form: URLSearchParams | undefined,
  { headers, lookup, ca }: JsonDocumentOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const accepted = { accept: 'application/json', 'accept-encoding': 'identity' };
  const request =
    form === undefined
      ? { method: 'GET' as const, headers: { ...accepted, ...headers } }
      : {
          method: 'POST' as const,
          headers: {
            ...accepted,
            'content-type': 'application/x-www-form-urlencoded',
            ...headers,
          },
          body: form.toString(),
        };
  return openResponse(url, { ...request, lookup, ca }, signal);
}

function checkRedirect(url: string, status: number): void {
  if (status >= 300 && status < 400) throw new FetchError(url, 'redirect');
}

function checkHead(url: string, response: IncomingMessage, maxBytes: number): void {
  const type = response.headers['content-type'] ?? '';
  if (!jsonType.test(type)) {
    // Not the header itself: a server could put anything into it.
    const [shown] = mediaType.exec(type) ?? ['missing'];
    const hint = `its Content-Type is ${shown}; allowed: application/json or application/…+json`;
    throw new FetchError(url, 'not_json', { hint });
  }
  if ((response.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new FetchError(url, 'not_json');
  }
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    throw new FetchError(url, 'too_large');
  }
}

function parseJson(url: string, body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch (cause) {
    // The parser's own message would quote the document.
    throw new FetchError(url, 'not_json', { cause });
  }
}

/** Without `form`, a document is fetched, and any status other than 200 is an error. */
async function exchange(
  url: URL,
  form: URLSearchParams | undefined,
  options: JsonDocumentOptions,
  signal: AbortSignal,
): Promise<JsonAnswer> {
  const { maxBytes } = options;
  const response = await connect(url, form, options, signal);
  const status = response.statusCode ?? 0;
  try {
    checkRedirect(url.href, status);
    if (form === undefined && status !== 200) throw new FetchError(url.href, 'status');
    checkHead(url.href, response, maxBytes);
    const body = await readBody(response, maxBytes);
    if (body === undefined) throw new FetchError(url.href, 'too_large');
    return { status, body: parseJson(url.href, body) };
  } finally {
    response.destroy();
  }
}

/** What the names of Node's errors of certificates have in common, and those of no others. */
const certificateError = /CERT|LEAF/;

function problemOf({ code = '' }: NodeJS.ErrnoException, hasTimedOut: boolean): FetchProblem {
  if (hasTimedOut) return 'timeout';
  return certificateError.test(code) ? 'untrusted' : 'unreachable';
}

function exchangeInTime(
  url: URL,
  form: URLSearchParams | undefined,
  options: JsonDocumentOptions,
): Promise<JsonAnswer> {
  return inTime(options.timeout, options.signal, async (signal) => {
    try {
      return await exchange(url, form, options, signal);
    } catch (cause) {
      if (cause instanceof FetchError) throw cause;
      throw new FetchError(url.href, problemOf(cause as Error, signal.aborted), { cause });
    }
  });
}

/**
 * Fetches a JSON document without following redirects, within limits on time and size.
 *
 * @param url must be one that the caller may open.
 * @throws {FetchError} if the response is not a JSON document.
 */
export async function fetchJsonDocument(url: URL, options: JsonDocumentOptions): Promise<unknown> {
  return (await exchangeInTime(url, undefined, options)).body;
}

/**
 * Posts a form and reads the JSON response, within the same limits.
 *
 * @throws {FetchError} if the response is not JSON.
 */
export function postForm(
  url: URL,
  form: URLSearchParams,
  options: JsonDocumentOptions,
): Promise<JsonAnswer> {
  return exchangeInTime(url, form, options);
}

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
