import type { LocalOptions } from './start-local.ts';

/**
 * Seconds in place of days, so that the whole life of a key can be watched in about two minutes:
 * 45 s published, 45 s signing, 28 s retained, 8 s until no cache holds it, 10 s until it is gone.
 * Tokens live for 20 s, since a key is kept for as long as they do.
 */
export const rotationDemo: Pick<
  LocalOptions,
  'signingKeyPolicy' | 'maxTokenLifetime' | 'keyScheduleSeconds' | 'signingAlgorithms'
> = {
  signingKeyPolicy: {
    rotationPeriod: 45,
    jwksMaxAge: 2,
    edgeAge: 0,
    verifierCache: 6,
    propagationLag: 4,
    keyListRefresh: 1,
    leeway: 2,
    authorizerResultTtl: 2,
    deletionDelay: 10,
  },
  maxTokenLifetime: 20,
  keyScheduleSeconds: 1,
  signingAlgorithms: ['RS256', 'ES256', 'ML-DSA-65'],
};
