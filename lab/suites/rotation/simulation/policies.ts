import * as v from 'valibot';
import {
  resolveSigningKeyPolicy,
  type SigningKeyPolicy,
  type SigningKeyPolicyInput,
  signingKeyPolicySchema,
} from '../../../../contract/signing-key-policy.ts';

/** A policy as the config resolves it. */
export function makePolicy(input: SigningKeyPolicyInput, maxTokenLifetime: number) {
  return resolveSigningKeyPolicy(v.parse(signingKeyPolicySchema, input), maxTokenLifetime);
}

/** Seconds in place of days. The lead is 160 s, the retention 110 s. */
export const policy: SigningKeyPolicy = makePolicy(
  {
    rotationPeriod: 300,
    jwksMaxAge: 20,
    edgeAge: 5,
    verifierCache: 100,
    propagationLag: 30,
    keyListRefresh: 10,
    leeway: 5,
    authorizerResultTtl: 10,
    deletionDelay: 60,
  },
  60,
);

/** A + E + C: the oldest JWKS that a verifier may use. */
export function oldestJwks({ jwksMaxAge, edgeAge, verifierCache }: SigningKeyPolicy): number {
  return jwksMaxAge + edgeAge + verifierCache;
}

/**
 * G is shared by the call that writes, the table's replication, and the functions' own lists, which
 * may have half of it.
 */
export function shareOfLag({ propagationLag }: SigningKeyPolicy) {
  const quarter = Math.floor(propagationLag / 4);
  return { maxCallTime: quarter, maxReplicationLag: quarter };
}
