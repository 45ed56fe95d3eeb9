import type { AccessTokenType } from '../../contract/access-token-type.ts';
import type { PortOptions } from '../port.ts';
import { type SigningNeed, selectSigningKeys } from '../signing-key/select-signing-key.ts';
import type { Sign } from '../signing-key/sign.ts';
import { signJws } from '../signing-key/sign-jws.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import type { AccessTokenClaims } from './access-token-claims.ts';
import type { AuthenticatedClient } from './client-authentication.ts';
import type { TokenValues } from './token-values.ts';

/** A granted token before it is signed. */
export interface UnsignedToken extends AuthenticatedClient {
  readonly claims: AccessTokenClaims;
}

/** A signed token. */
export interface SignedToken {
  readonly jws: string;
  readonly claims: AccessTokenClaims;
  readonly kid: string;
  /** kids of the keys that KMS refused before. */
  readonly unusableKids: readonly string[];
}

/** The step of a token request that signs its token. */
export type SignToken = (token: UnsignedToken, values: TokenValues) => Promise<SignedToken>;

/** The same, with the keys that may sign, in order of preference. */
export type SignWithKeys = (
  token: UnsignedToken,
  keys: readonly SigningKey[],
  values: TokenValues,
) => Promise<SignedToken>;

/** Every signing key of every region; usually from a cache. */
export type ListSigningKeys = (
  now: number,
  options?: PortOptions,
) => Promise<readonly SigningKey[]>;

export function createSignWithKeys(sign: Sign, typ: AccessTokenType): SignWithKeys {
  return async ({ claims }, keys, { signal }) => {
    const signed = await signJws({ typ, payload: claims }, keys, sign, { signal });
    return { ...signed, claims };
  };
}

/** Signs with the keys of the region that are valid for the lifetime of the token. */
export function chooseKeys(
  listSigningKeys: ListSigningKeys,
  settings: Omit<SigningNeed, 'now' | 'expiresAt'>,
  sign: SignWithKeys,
): SignToken {
  return async (token, values) => {
    const { now, signal } = values;
    const keys = await listSigningKeys(now, { signal });
    const expiresAt = token.claims.exp;
    return sign(token, selectSigningKeys(keys, { ...settings, now, expiresAt }), values);
  };
}
