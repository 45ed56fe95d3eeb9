import { maxTokenLifetime, verifierLeeway } from '../../contract/limits.ts';
import { BearerRefusal } from './bearer-refusal.ts';
import type { JsonObject } from './json-object.ts';

/** Times of a token, in seconds since the epoch. */
export interface TokenTimes {
  readonly expiresAt: number;
  readonly issuedAt: number | undefined;
}

/** Whole seconds only. RFC 7519 §2 would allow a fraction; no issuer needs one. */
function readNumericDate(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new BearerRefusal('token_claims_malformed');
  }
  return value;
}

function readOptionalDate(value: unknown): number | undefined {
  return value === undefined ? undefined : readNumericDate(value);
}

/**
 * Checks `exp`, `nbf` and `iat` (RFC 7519 §4.1.4 to §4.1.6) with the service's leeway. `exp` is
 * required. The lifetime of a token, from `iat` or from now if it has no `iat`, is limited.
 *
 * @param now seconds since the epoch.
 * @throws {BearerRefusal}
 */
export function checkTimes(claims: JsonObject, now: number): TokenTimes {
  const expiresAt = readNumericDate(claims.exp);
  const notBefore = readOptionalDate(claims.nbf);
  const issuedAt = readOptionalDate(claims.iat);
  if (expiresAt <= now - verifierLeeway) throw new BearerRefusal('token_expired');
  if (Math.max(notBefore ?? 0, issuedAt ?? 0) > now + verifierLeeway) {
    throw new BearerRefusal('token_not_yet_valid');
  }
  const latest = (issuedAt ?? now + verifierLeeway) + maxTokenLifetime;
  if (expiresAt > latest) throw new BearerRefusal('token_lifetime_too_long');
  return { expiresAt, issuedAt };
}

/**
 * Reads `aud`: a string, or an array of strings (RFC 7519 §4.1.3).
 *
 * @throws {BearerRefusal} for every other form.
 */
export function readAudiences(claims: JsonObject): readonly string[] {
  const { aud } = claims;
  const values: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!values.every((value): value is string => typeof value === 'string')) {
    throw new BearerRefusal('token_claims_malformed');
  }
  return values;
}

/** @throws {BearerRefusal} if no value of `aud` is among those allowed. */
export function checkAudience(actual: readonly string[], allowed: readonly string[]): void {
  if (!actual.some((value) => allowed.includes(value))) {
    throw new BearerRefusal('token_audience_not_allowed');
  }
}

/**
 * Reads a claim that must be a string with something in it.
 *
 * @throws {BearerRefusal}
 */
export function readStringClaim(claims: JsonObject, name: string): string {
  const value = claims[name];
  if (typeof value !== 'string' || value === '') throw new BearerRefusal('token_claims_malformed');
  return value;
}
