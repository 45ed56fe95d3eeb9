import { lastTime, maxTokenLifetime, verifierLeeway } from '../../contract/bounds.ts';
import type { JsonObject } from '../../contract/json-object.ts';
import { formatTime } from '../time.ts';
import {
  type BearerRefusal,
  type RefusalReason,
  refuseBearer,
  refuseClaim,
} from './bearer-refusal.ts';

/** Times of a token, in seconds since the epoch. */
interface TokenTimes {
  readonly expiresAt: number;
  readonly issuedAt: number | undefined;
}

interface TimeRules {
  readonly isOwn?: boolean;
  readonly leeway?: number | undefined;
  readonly lead?: number | undefined;
}

/** This service writes whole seconds. Tokens of others may have fractions (RFC 7519 §2). */
function readNumericDate(name: 'exp' | 'nbf' | 'iat', claims: JsonObject, isOwn: boolean): number {
  const value = claims[name];
  const whole = typeof value === 'number' && !isOwn ? Math.trunc(value) : value;
  if (typeof value !== 'number' || !Number.isSafeInteger(whole) || value < 0) {
    throw refuseClaim(name, value, `${isOwn ? 'whole ' : ''}seconds since 1970`);
  }
  return value;
}

function readOptionalDate(
  name: 'nbf' | 'iat',
  claims: JsonObject,
  isOwn: boolean,
): number | undefined {
  return claims[name] === undefined ? undefined : readNumericDate(name, claims, isOwn);
}

/** A time that is too early or too late, next to the bound that it breaks. */
function refuseTime(
  reason: RefusalReason,
  [name, received]: readonly [name: string, received: number],
  relation: string,
  bound: number,
): BearerRefusal {
  return refuseBearer(reason, () => ({
    name,
    received: describeTime(received),
    expected: `${relation} ${describeTime(bound)}`,
  }));
}

/** A number for programs and a time for people. */
function describeTime(seconds: number): string {
  return seconds <= lastTime ? `${seconds} (${formatTime(seconds)})` : String(seconds);
}

/**
 * Checks `exp`, `nbf` and `iat` (RFC 7519 §4.1.4 to §4.1.6), each with the leeway. `exp` is
 * required. The lifetime of a token, from `iat` or from now if it has no `iat`, is limited. A
 * fraction counts against the token: it begins at the next second and ends at the one before.
 *
 * @param now seconds since the epoch.
 * @param rules `isOwn`: whether this service issued it. `leeway`: the clock difference in seconds.
 *   `lead`: how far `nbf` and `iat` may be in the future, if that is more.
 * @returns whole seconds; `issuedAt` is not later than `iat`, because it says what was revoked.
 * @throws {BearerRefusal}
 */
export function checkTimes(
  claims: JsonObject,
  now: number,
  { isOwn = false, leeway = verifierLeeway, lead = leeway }: TimeRules = {},
): TokenTimes {
  const expiresAt = Math.floor(readNumericDate('exp', claims, isOwn));
  const notBefore = Math.ceil(readOptionalDate('nbf', claims, isOwn) ?? 0);
  const issued = readOptionalDate('iat', claims, isOwn);
  const issuedAt = issued === undefined ? undefined : Math.floor(issued);
  const earliest = now - leeway;
  if (expiresAt <= earliest) {
    throw refuseTime('token_expired', ['exp', expiresAt], 'later than', earliest);
  }
  const begin = Math.max(notBefore, Math.ceil(issued ?? 0));
  if (begin > now + lead) {
    const name = begin === notBefore ? 'nbf' : 'iat';
    throw refuseTime('token_not_yet_valid', [name, begin], 'at most', now + lead);
  }
  const latest = (issuedAt ?? now + leeway) + maxTokenLifetime;
  if (expiresAt > latest) {
    throw refuseTime('token_lifetime_too_long', ['exp', expiresAt], 'at most', latest);
  }
  return { expiresAt, issuedAt };
}

/**
 * Reads `aud`: a string, or an array of strings (RFC 7519 §4.1.3).
 *
 * @throws {BearerRefusal} for every other form.
 */
export function readAudiences(claims: JsonObject): readonly string[] {
  const { aud } = claims;
  // A copy: the caller gets the list, and the claims of a token may be read again.
  const values: readonly unknown[] = Array.isArray(aud) ? [...(aud as unknown[])] : [aud];
  if (!values.every((value): value is string => typeof value === 'string')) {
    throw refuseClaim('aud', aud, 'a text, or an array of texts');
  }
  return values;
}

/** @throws {BearerRefusal} if no value of `aud` is among those allowed. */
export function checkAudience(
  actual: readonly string[],
  allowed: readonly string[],
  serviceTrunkGroup?: string,
): void {
  if (actual.some((value) => allowed.includes(value))) return;
  throw refuseBearer('token_audience_not_allowed', () => ({
    name: 'aud',
    received: actual,
    expected: allowed.join(', ') || "no value: none of the client's audiences names this API",
    serviceTrunkGroup,
  }));
}

/**
 * Reads a claim that must be a string with something in it.
 *
 * @throws {BearerRefusal}
 */
export function readStringClaim(claims: JsonObject, name: string): string {
  const value = claims[name];
  if (typeof value !== 'string' || value === '') throw refuseClaim(name, value, 'a text');
  return value;
}
