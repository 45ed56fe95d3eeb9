import { UnavailableError } from '../../core/errors.ts';
import type { PortOptions } from '../../core/port.ts';
import { fetchJsonDocument } from './json-document.ts';
import { parseServiceUrl } from './service-url.ts';

export interface FetchServiceDocumentOptions {
  /** Certificates to trust as well, PEM: the local run's. */
  readonly ca?: string | undefined;
}

/** Milliseconds for the response of one region: longer than a cold start of its function. */
const timeout = 5000;
/** A JWKS of twenty keys of the largest kind; a region publishes three or four. */
const maxBytes = 128 * 1024;

/**
 * Fetches a public document of this service, a JWKS or the discovery document, from a configured
 * address without any cache. Plain http is allowed only on loopback, for the local run.
 *
 * @throws {UnavailableError} if no JSON arrives in time.
 */
export type FetchServiceDocument = (url: string, options?: PortOptions) => Promise<unknown>;

export function createFetchServiceDocument({
  ca,
}: FetchServiceDocumentOptions = {}): FetchServiceDocument {
  const headers = { 'cache-control': 'no-cache' };
  return async (text, { signal } = {}) => {
    try {
      return await fetchJsonDocument(parseServiceUrl(text), {
        ca,
        timeout,
        maxBytes,
        headers,
        signal,
      });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : 'it does not answer';
      throw new UnavailableError(`${text}: ${reason}`, { cause });
    }
  };
}
