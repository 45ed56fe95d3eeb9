import { maxKeyIdLength } from '../../contract/bounds.ts';
import type { JsonObject } from '../../contract/json-object.ts';
import { refuseFor } from './bearer-refusal.ts';

/** What the header of an issuer's tokens may contain. */
export interface HeaderProfile {
  /** Allowed `typ`, lower-case and without `application/`; undefined: the token has none. */
  readonly types: readonly (string | undefined)[];
  readonly algorithms: readonly string[];
}

export interface JwsHeader {
  readonly alg: string;
  readonly kid: string;
}

const mediaTypePrefix = 'application/';

/** RFC 7515 §4.1.9: a media type, compared without case; `application/` may be left out. */
export function readType(value: unknown): string | undefined {
  if (typeof value !== 'string') return value === undefined ? undefined : '';
  const type = value.toLowerCase();
  return type.startsWith(mediaTypePrefix) ? type.slice(mediaTypePrefix.length) : type;
}

/**
 * Checks a JOSE header against a profile (RFC 8725 §3.1, §3.11; RFC 9068 §4). Only `typ`, `alg`,
 * `crit` and `kid` are read: a key or an address of a key in the token (`jwk`, `jku`, `x5u`,
 * `x5c`) is as good as absent. No extension is understood, so any `crit` is refused
 * (RFC 7515 §4.1.11).
 *
 * @throws {BearerRefusal}
 */
export function checkJwsHeader(header: JsonObject, profile: HeaderProfile): JwsHeader {
  const { typ, alg, kid } = header;
  if (!profile.types.includes(readType(typ))) {
    const expected = profile.types.map((type) => type ?? 'none').join(', ');
    throw refuseFor('token_type_not_allowed', 'typ', typ, expected);
  }
  if (typeof alg !== 'string' || !profile.algorithms.includes(alg)) {
    throw refuseFor('token_algorithm_not_allowed', 'alg', alg, profile.algorithms.join(', '));
  }
  if (Object.hasOwn(header, 'crit')) {
    throw refuseFor('token_critical_header', 'crit', header['crit'], 'none');
  }
  if (typeof kid !== 'string' || kid === '' || kid.length > maxKeyIdLength) {
    const expected = `a text of 1 to ${maxKeyIdLength} characters`;
    throw refuseFor('token_key_id_missing', 'kid', kid, expected);
  }
  return { alg, kid };
}
