import { lookup as dnsLookup, type LookupAddress, resolve4, resolve6 } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { maxProviderDocumentBytes, providerFetchTimeout } from '../../contract/bounds.ts';
import {
  FetchError,
  type FetchJson,
  type FetchProblem,
} from '../../core/identity-provider/fetch-json.ts';
import {
  isAllowedProviderAddress,
  type ProviderUrlOptions,
  parseProviderUrl,
} from '../../core/identity-provider/provider-url.ts';
import { readBytes } from '../../core/read-bytes.ts';
import { beginDeadline } from '../deadline.ts';
import { type OutgoingRequest, openResponse } from './open-response.ts';

/** Resolves a host name to all its addresses. */
export type Resolve = (
  hostname: string,
  callback: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

export interface GuardedFetchOptions extends ProviderUrlOptions {
  /** Certificates to trust as well, PEM. For the local run and tests. */
  readonly ca?: string | undefined;
  readonly resolve?: Resolve | undefined;
  /** Milliseconds for the whole fetch. */
  readonly timeout?: number | undefined;
  readonly maxBytes?: number | undefined;
}

function resolveAll(hostname: string, callback: Parameters<Resolve>[1]): void {
  dnsLookup(hostname, { all: true }, callback);
}

/**
 * Resolves a host that a customer chose. The system's look-ups have two threads of libuv, which come
 * back only at the system's own timeout: two names without an answer would keep every other connection
 * of the process waiting. A question of the DNS takes none. It knows nothing of `localhost`.
 */
function resolveOwn(hostname: string, callback: Parameters<Resolve>[1]): void {
  if (hostname === 'localhost') return resolveAll(hostname, callback);
  resolve4(hostname, (noIpv4, ipv4) => {
    resolve6(hostname, (noIpv6, ipv6) => {
      const addresses = [
        ...(noIpv4 === null ? ipv4 : []).map((address) => ({ address, family: 4 })),
        ...(noIpv6 === null ? ipv6 : []).map((address) => ({ address, family: 6 })),
      ];
      callback(addresses.length === 0 ? noIpv4 : null, addresses);
    });
  });
}

/**
 * The check is part of the connection's own look-up: the connection uses exactly the checked
 * addresses, so they cannot change in between. If one of several addresses is forbidden, the name
 * is refused.
 */
function guardLookup(url: string, options: GuardedFetchOptions, resolve: Resolve): LookupFunction {
  return (hostname, lookupOptions, callback) => {
    resolve(hostname, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) {
        callback(new FetchError(url, 'unreachable', { cause: error }), '');
      } else if (!addresses.every(({ address }) => isAllowedProviderAddress(address, options))) {
        callback(new FetchError(url, 'address'), '');
      } else if (lookupOptions.all === true) {
        callback(null, [...addresses]);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}

/**
 * Fetches documents of identity providers: only https, only public addresses, no redirect, no
 * proxy, and bounds of time and size. Each failure is one of a closed set of problems.
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): FetchJson {
  const { timeout: longest = providerFetchTimeout } = options;
  return async (text, port = {}) => {
    const url = parseProviderUrl(text, 'URL', options);
    const timeout = Math.min(longest, port.timeout ?? longest);
    const { resolve = port.isOwn === true ? resolveOwn : resolveAll } = options;
    const { body } = await requestJson(url, {
      lookup: guardLookup(url.href, options, resolve),
      ca: options.ca,
      timeout,
      maxBytes: options.maxBytes ?? maxProviderDocumentBytes,
      signal: port.signal,
    });
    return body;
  };
}

interface JsonRequest {
  /** Resolves the host. The default is Node's own resolver. */
  readonly lookup?: LookupFunction | undefined;
  /** Certificates to trust as well, PEM. */
  readonly ca?: string | undefined;
  /** Milliseconds from the look-up of the host to the last byte. */
  readonly timeout: number;
  readonly maxBytes: number;
  /** Sent in addition to `Accept`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Posted. Without it, a document is fetched, and any status other than 200 is an error. */
  readonly form?: URLSearchParams | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A JSON response with any status. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Requests JSON within bounds of time and size, and follows no redirect.
 *
 * @param url must be one that the caller may open.
 * @throws {FetchError} if the response is not JSON.
 */
export async function requestJson(url: URL, request: JsonRequest): Promise<JsonAnswer> {
  const deadline = beginDeadline(request.timeout, request.signal);
  let response: IncomingMessage | undefined;
  try {
    response = await openResponse(url, outgoing(request), deadline.signal);
    const { statusCode: status = 0 } = response;
    if (status >= 300 && status < 400) throw new FetchError(url.href, 'redirect');
    if (request.form === undefined && status !== 200) throw new FetchError(url.href, 'status');
    checkHeaders(url.href, response, request.maxBytes);
    const body = await readBytes(response, request.maxBytes);
    if (body === undefined) throw new FetchError(url.href, 'too_large');
    return { status, body: parseJson(url.href, body) };
  } catch (cause) {
    if (cause instanceof FetchError) throw cause;
    throw new FetchError(url.href, problemOf(cause as Error, deadline.signal.aborted), { cause });
  } finally {
    response?.destroy();
    deadline.end();
  }
}

function outgoing({ form, headers, lookup, ca }: JsonRequest): OutgoingRequest {
  const accepted = { accept: 'application/json', 'accept-encoding': 'identity' };
  if (form === undefined)
    return { method: 'GET', headers: { ...accepted, ...headers }, lookup, ca };
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return {
    method: 'POST',
    headers: { ...accepted, ...type, ...headers },
    body: form.toString(),
    lookup,
    ca,
  };
}

/** RFC 9110 §8.3.1, of a length that real types have. */
const mediaType = /^[\w.+-]{1,64}\/[\w.+-]{1,64}/;

const jsonType = /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i;

function checkHeaders(url: string, response: IncomingMessage, maxBytes: number): void {
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

/** What the names of Node's errors of certificates have in common, and those of no others. */
const certificateError = /CERT|LEAF/;

function problemOf({ code = '' }: NodeJS.ErrnoException, hasTimedOut: boolean): FetchProblem {
  if (hasTimedOut) return 'timeout';
  return certificateError.test(code) ? 'untrusted' : 'unreachable';
}
