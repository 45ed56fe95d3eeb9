import type { RegionId } from '../../contract/regions.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import type {
  KeyIntent,
  RotationSettings,
  RotationState,
} from '../../core/key-rotation/rotation-ports.ts';
import type { SigningKey } from '../../core/signing-key/signing-key.ts';
import { policy } from '../../lab/suites/rotation/simulation/policies.ts';
/**
 * A key that signs in slc since the time 0, but for what the test says. A `next` key is proved when
 * it is published.
 */
export function signingKey(kid: string, more: Partial<SigningKey> = {}): SigningKey {
  const alg: Alg = more.alg ?? 'ES256';
  return {
    kid,
    regionId: 'slc' satisfies RegionId,
    alg,
    kmsKeyArn: `arn:aws:kms:us-west-2:000000000000:key/${kid}`,
    publicJwk: { kid, alg, use: 'sig', kty: 'EC', crv: 'P-256', x: 'x', y: 'y' },
    state: 'current',
    publishedAt: 0,
    activatedAt: more.state === undefined || more.state === 'current' ? 0 : undefined,
    provedAt: more.state === 'next' ? (more.publishedAt ?? 0) : undefined,
    version: 1,
    ...more,
  };
}

export function keyIntent(more: Partial<KeyIntent> = {}): KeyIntent {
  return {
    slot: 'slc',
    intentId: 'intent',
    regionId: 'slc',
    alg: 'ES256',
    holder: 'other run',
    leaseUntil: 30,
    closed: false,
    version: 1,
    ...more,
  };
}

export function rotationState(more: Partial<RotationState> = {}): RotationState {
  return { keys: [], intents: [], heartbeats: [], unusableKids: new Set(), ...more };
}

export const settings: RotationSettings = {
  regionId: 'slc',
  runId: 'this run',
  algs: ['ES256', 'ES384'],
  policy,
};
