import type { LocalOptions } from './start-local.ts';

/**
 * Seconds in place of days, so that the whole life of a key can be watched in about four minutes:
 * 75 s published, 75 s signing, 30 s retained, 32 s until no cache holds it, 10 s until it is gone.
 * Tokens live for 20 s, because a key is kept for as long as they do. No verifier may keep a JWKS
 * for less than 30 s, which is the cooldown of this project's own verifier.
 */
export const rotationDemo: Pick<
  LocalOptions,
  'signingKeyPolicy' | 'maxTokenLifetime' | 'keyScheduleSeconds' | 'signingAlgorithms'
> = {
  signingKeyPolicy: {
    rotationPeriod: 75,
    jwksMaxAge: 2,
    edgeAge: 0,
    verifierCache: 30,
    propagationLag: 4,
    keyListRefresh: 1,
    leeway: 2,
    authorizerResultTtl: 2,
    retention: 30,
    deletionDelay: 10,
  },
  maxTokenLifetime: 20,
  keyScheduleSeconds: 1,
  signingAlgorithms: ['RS256', 'ES256', 'ML-DSA-65'],
};
