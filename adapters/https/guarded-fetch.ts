import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { maxProviderDocumentBytes, providerFetchTimeout } from '../../contract/limits.ts';
import { FetchError, type FetchJson } from '../../core/identity-provider/fetch-json.ts';
import {
  isAllowedProviderAddress,
  type ProviderUrlOptions,
  parseProviderUrl,
} from '../../core/identity-provider/provider-url.ts';
import { fetchJsonDocument } from './json-document.ts';

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
 * The check is part of the connection's own look-up: the connection uses exactly the checked
 * addresses, so they cannot change in between. If one of several addresses is forbidden, the name
 * is refused.
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

/**
 * Fetches documents of identity providers: only https, only public addresses, no redirect, no
 * proxy, and limits on time and size. Each failure is one of a closed set of problems.
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): FetchJson {
  return async (text, port = {}) => {
    const url = parseProviderUrl(text, 'URL', options);
    return fetchJsonDocument(url, {
      lookup: guardLookup(url.href, options),
      ca: options.ca,
      timeout: options.timeout ?? providerFetchTimeout,
      maxBytes: options.maxBytes ?? maxProviderDocumentBytes,
      signal: port.signal,
    });
  };
}
