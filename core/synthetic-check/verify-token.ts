import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import * as v from 'valibot';
import type { AccessTokenType } from '../../contract/access-token-type.ts';
import { verifierLeeway } from '../../contract/limits.ts';
import type { RegionId } from '../../contract/regions.ts';
import { algs } from '../../contract/signing-algorithms.ts';
import { syntheticAuthority, syntheticClientId } from '../../contract/synthetic-check.ts';
import { servedJwksSchema } from '../jwks/served-jwks.ts';
import { SyntheticCheckError } from './synthetic-check-error.ts';

const requiredClaims = ['iss', 'sub', 'aud', 'client_id', 'iat', 'exp', 'jti', 'scope'];

export interface VerificationSettings {
  readonly issuer: string;
  /** The region whose synthetic client the token is for. */
  readonly regionId: RegionId;
  readonly accessTokenType: AccessTokenType;
  /** Seconds since the epoch. */
  readonly now: number;
}

/**
 * Verifies a token with an independent library, as a platform API would (RFC 9068 §4).
 *
 * @throws {SyntheticCheckError} if it does not verify.
 */
export async function verifyToken(
  token: string,
  jwks: unknown,
  { issuer, regionId, accessTokenType, now }: VerificationSettings,
): Promise<void> {
  const clientId = syntheticClientId(regionId);
  if (!v.is(servedJwksSchema, jwks)) {
    throw new SyntheticCheckError('jwks', 'the JWKS endpoint answered without a key set');
  }
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(jwks as JSONWebKeySet), {
      issuer,
      audience: [...syntheticAuthority.audiences],
      subject: clientId,
      typ: accessTokenType,
      algorithms: [...algs],
      requiredClaims,
      clockTolerance: verifierLeeway,
      currentDate: new Date(now * 1000),
    });
    if (payload['client_id'] === clientId) return;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown error';
    throw new SyntheticCheckError('verification', `the token does not verify: ${why}`, { cause });
  }
  throw new SyntheticCheckError('verification', 'the token is for another client');
}
