import { maxProviderDocumentBytes, providerFetchTimeout } from '../../contract/limits.ts';
import { InputError } from '../../core/errors.ts';
import type { FetchJson } from '../../core/identity-provider/fetch-json.ts';
import type { FetchJwks } from '../../core/verifier/jwks-cache.ts';
import { fetchJsonDocument } from './json-document.ts';

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The service's own key set: at an address that was configured, so at any host over https. */
function parseOwnUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAllowed =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && loopbackHosts.has(url.hostname));
  if (url === undefined || !isAllowed) {
    throw new InputError(
      `JWKS URI: received ${JSON.stringify(text)}; allowed: an https URL, or http on loopback`,
    );
  }
  return url;
}

/**
 * Fetches key sets: the service's own from the address that was configured, every other one
 * under the guard that URLs of identity providers need.
 *
 * @param own issuer and JWKS URI of the service.
 * @param fetchProvider the guarded fetch, for everybody else.
 * @throws {InputError} where the service's own address is not allowed.
 */
export function createJwksFetch(
  own: { readonly issuer: string; readonly jwksUri: string },
  fetchProvider: FetchJson,
): FetchJwks {
  const ownUrl = parseOwnUrl(own.jwksUri);
  return async ({ issuer, jwksUri }) =>
    issuer === own.issuer
      ? fetchJsonDocument(ownUrl, {
          timeout: providerFetchTimeout,
          maxBytes: maxProviderDocumentBytes,
        })
      : fetchProvider(jwksUri);
}
