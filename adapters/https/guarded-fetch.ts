import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import { maxProviderDocumentBytes, providerFetchTimeout } from '../../contract/limits.ts';
import { FetchError, type FetchJson } from '../../core/identity-provider/fetch-json.ts';
import {
  isAllowedProviderAddress,
  type ProviderUrlOptions,
  parseProviderUrl,
} from '../../core/identity-provider/provider-url.ts';

/** Resolves a host name to all its addresses. */
export type Resolve = (
  hostname: string,
  callback: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

export interface GuardedFetchOptions extends ProviderUrlOptions {
  /** Certificates to trust besides, PEM. For the local run and tests. */
  readonly ca?: string | undefined;
  readonly resolve?: Resolve | undefined;
  /** Milliseconds for the whole fetch. */
  readonly timeout?: number | undefined;
  readonly maxBytes?: number | undefined;
}

const jsonType = /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i;

function resolveAll(hostname: string, callback: Parameters<Resolve>[1]): void {
  dnsLookup(hostname, { all: true }, callback);
}

/**
 * The check stands inside the connection's own look-up: the addresses that were checked are the
 * ones that are connected to, so that nothing can change between the two. One forbidden address
 * among several refuses the name.
 */
function guardLookup(url: string, options: GuardedFetchOptions): LookupFunction {
  const resolve = options.resolve ?? resolveAll;
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

function connect(
  url: URL,
  options: GuardedFetchOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      // An agent of its own: no connection is shared, none outlives the fetch, no proxy applies.
      agent: new Agent({ keepAlive: false, maxCachedSessions: 0 }),
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      lookup: guardLookup(url.href, options),
      signal,
      ...(options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] }),
    });
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    outgoing.end();
  });
}

function checkHead(url: string, response: IncomingMessage, maxBytes: number): void {
  const status = response.statusCode ?? 0;
  if (status >= 300 && status < 400) throw new FetchError(url, 'redirect');
  if (status !== 200) throw new FetchError(url, 'status');
  if (!jsonType.test(response.headers['content-type'] ?? '')) throw new FetchError(url, 'not_json');
  if ((response.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new FetchError(url, 'not_json');
  }
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    throw new FetchError(url, 'too_large');
  }
}

async function readBody(url: string, response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new FetchError(url, 'too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(url: string, body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch (cause) {
    // The parser's own message would quote the document.
    throw new FetchError(url, 'not_json', { cause });
  }
}

async function fetchDocument(
  url: URL,
  options: GuardedFetchOptions,
  signal: AbortSignal,
): Promise<unknown> {
  const maxBytes = options.maxBytes ?? maxProviderDocumentBytes;
  const response = await connect(url, options, signal);
  try {
    checkHead(url.href, response, maxBytes);
    return parseJson(url.href, await readBody(url.href, response, maxBytes));
  } finally {
    response.destroy();
  }
}

/**
 * Fetches documents of identity providers: https alone, public addresses alone, no redirect, no
 * proxy, and bounds on time and size. Each failure is one of a closed set of problems.
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): FetchJson {
  return async (text, port = {}) => {
    const url = parseProviderUrl(text, 'URL', options);
    const deadline = AbortSignal.timeout(options.timeout ?? providerFetchTimeout);
    const signal = port.signal === undefined ? deadline : AbortSignal.any([deadline, port.signal]);
    try {
      return await fetchDocument(url, options, signal);
    } catch (cause) {
      if (cause instanceof FetchError) throw cause;
      throw new FetchError(url.href, signal.aborted ? 'timeout' : 'unreachable', { cause });
    }
  };
}
