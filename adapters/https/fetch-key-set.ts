import { maxProviderDocumentBytes, providerFetchTimeout } from '../../contract/limits.ts';
import type { FetchJson } from '../../core/identity-provider/fetch-json.ts';
import type { FetchJwks } from '../../core/verifier/jwks-cache.ts';
import { fetchJsonDocument } from './json-document.ts';
import { parseServiceUrl } from './service-url.ts';

/** The service's own key set. */
export interface OwnKeySet {
  readonly issuer: string;
  readonly jwksUri: string;
  /** Certificates to trust as well, PEM. */
  readonly ca?: string | undefined;
}

/**
 * Fetches key sets for a verifier: the service's own from the configured address, every other one
 * with the checks that URLs of identity providers need.
 *
 * @param fetchProvider the guarded fetch.
 * @throws {InputError} if the service's own address is not allowed.
 */
export function createFetchKeySet(own: OwnKeySet, fetchProvider: FetchJson): FetchJwks {
  const ownUrl = parseServiceUrl(own.jwksUri);
  const ownOptions = {
    ca: own.ca,
    timeout: providerFetchTimeout,
    maxBytes: maxProviderDocumentBytes,
  };
  return ({ issuer, jwksUri }) =>
    issuer === own.issuer ? fetchJsonDocument(ownUrl, ownOptions) : fetchProvider(jwksUri);
}
