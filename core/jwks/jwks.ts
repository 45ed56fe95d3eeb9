import * as v from 'valibot';
import { UnavailableError } from '../errors.ts';
import { isPublished, type PublicJwk, type SigningKey } from '../signing-key/signing-key.ts';

/** A JWK Set (RFC 7517 §5). */
interface Jwks {
  readonly keys: readonly PublicJwk[];
}

/** An allow-list, so that nothing else of a stored record is ever published (RFC 7517 §4). */
const publicMembers = ['kty', 'kid', 'use', 'alg', 'n', 'e', 'crv', 'x', 'y', 'pub'] as const;

function toPublished(jwk: PublicJwk): PublicJwk {
  const members = new Map(Object.entries(jwk));
  return Object.fromEntries(
    publicMembers.filter((name) => members.has(name)).map((name) => [name, members.get(name)]),
  ) as PublicJwk;
}

/**
 * The keys of every region that verifiers need at a time. They are ordered by kid, so that the same
 * set has the same bytes everywhere.
 *
 * @param now seconds since the epoch.
 * @throws {UnavailableError} if there are no keys: an empty set would make verifiers drop good keys.
 */
export function buildJwks(signingKeys: readonly SigningKey[], now: number): Jwks {
  const published = new Map(
    signingKeys
      .filter((key) => isPublished(key, now))
      .map((key) => [key.kid, toPublished(key.publicJwk)]),
  );
  if (published.size === 0) throw new UnavailableError('there is no key to publish');
  return { keys: [...published.values()].sort((a, b) => (a.kid < b.kid ? -1 : 1)) };
}

/**
 * The time that decides whether a key leaves the JWKS: the earlier of two clocks. When a host's
 * clock is ahead, it still publishes every key whose tokens are valid. A missing time is ignored.
 */
export function publicationTime(ownClock: number, gatewayClock: number): number {
  return Number.isNaN(gatewayClock) ? ownClock : Math.min(ownClock, gatewayClock);
}

/** A JWKS as a region serves it, in the form that a library needs to find a key. */
export const servedJwksSchema = v.looseObject({
  keys: v.array(v.looseObject({ kid: v.string(), kty: v.string() })),
});
