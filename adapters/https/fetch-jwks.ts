import { UnavailableError } from '../../core/errors.ts';
import type { PortOptions } from '../../core/port.ts';
import { fetchJsonDocument } from './json-document.ts';
import { parseServiceUrl } from './service-url.ts';

export interface FetchJwksOptions {
  /** Certificates to trust besides, PEM: the local run's. */
  readonly ca?: string | undefined;
}

/** Milliseconds for one region's answer: longer than a cold start of its function. */
const timeout = 5000;
/** Twenty keys of the largest kind; a region publishes three or four. */
const maxBytes = 128 * 1024;

/**
 * Fetches a JWKS of this service from an address that the deployment knows, without any cache in
 * between: plain http for the loopback of the local run alone.
 *
 * @throws {UnavailableError} where it is not answered with JSON in time.
 */
export type FetchJwks = (url: string, options?: PortOptions) => Promise<unknown>;

export function createFetchJwks({ ca }: FetchJwksOptions = {}): FetchJwks {
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
