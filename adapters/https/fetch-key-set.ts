import {
  jwksCacheTimes,
  maxProviderDocumentBytes,
  trustedFetchTimeout,
} from '../../contract/bounds.ts';
import { RefusedError } from '../../core/errors.ts';
import type { FetchJson } from '../../core/identity-provider/fetch-json.ts';
import { hasGivenKeys } from '../../core/identity-provider/given-keys.ts';
import type { IdentityProviderReader } from '../../core/identity-provider/identity-provider.ts';
import type { Clock } from '../../core/time.ts';
import { parseJsonObject } from '../../core/verifier/json-object.ts';
import { type FetchJwks, JwksCache, type KeyFetch } from '../../core/verifier/jwks-cache.ts';
import { createGuardedFetch, type GuardedFetchOptions, requestJson } from './json-request.ts';
import { parseServiceUrl } from './service-requests.ts';

/** The service's own key set. */
interface OwnKeySet {
  readonly issuer: string;
  readonly jwksUri: string;
  /** Certificates to trust as well, PEM. */
  readonly ca?: string | undefined;
}

/** Fetches key sets of providers. */
export function createFetchProviderKeys(fetchJson: FetchJson): FetchJwks {
  return ({ jwksUri, ownedBy }) => fetchJson(jwksUri, { isOwn: ownedBy !== undefined });
}

/** Reads the keys that were given, and fetches all others. */
export function withGivenKeys(
  fetchJwks: FetchJwks,
  reader: Pick<IdentityProviderReader, 'findGivenKeys'> | undefined,
): FetchJwks {
  return async (source) => {
    if (!hasGivenKeys(source)) return fetchJwks(source);
    const found = await reader?.findGivenKeys?.(source.issuer);
    if (found?.registrationId === source.registrationId) return parseJsonObject(found.jwks);
    throw new RefusedError(`no keys were given for this registration of ${source.issuer}`);
  };
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
    timeout: trustedFetchTimeout,
    maxBytes: maxProviderDocumentBytes,
  };
  const fetchProviderKeys = createFetchProviderKeys(fetchProvider);
  return async (source) =>
    source.issuer === own.issuer
      ? (await requestJson(ownUrl, ownOptions)).body
      : fetchProviderKeys(source);
}

interface KeyCacheOptions {
  /** Reads the keys of providers that are never fetched. */
  readonly identityProviders?: IdentityProviderReader | undefined;
  readonly clock: Clock;
  readonly onFetched?: ((fetch: KeyFetch) => void) | undefined;
  /**
   * Whether this is a Lambda function, which does nothing after its answer: a set that is due is
   * fetched before it.
   */
  readonly isFunction?: boolean | undefined;
}

/** A key cache over any way to fetch. */
export function createKeyCache(
  fetchJwks: FetchJwks,
  { clock, onFetched, isFunction = false, identityProviders }: KeyCacheOptions,
): JwksCache {
  const { refreshAfter } = jwksCacheTimes;
  const times = isFunction ? { ...jwksCacheTimes, refreshBefore: refreshAfter } : jwksCacheTimes;
  const fetchOrRead = withGivenKeys(fetchJwks, identityProviders);
  return new JwksCache({ fetchJwks: fetchOrRead, clock, random: Math.random, times, onFetched });
}

/** The keys of this service and of registered providers, for a verifier. */
export function createVerifierKeys(
  own: OwnKeySet,
  guard: Pick<GuardedFetchOptions, 'allowLoopback'>,
  options: KeyCacheOptions,
): JwksCache {
  const fetchProvider = createGuardedFetch({ ...guard, ca: own.ca });
  return createKeyCache(createFetchKeySet(own, fetchProvider), options);
}
