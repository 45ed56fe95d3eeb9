import { keysOfRegionInJwks } from '../../contract/signing-key-policy.ts';
import { formatTime } from '../rfc3339.ts';
import type { SigningKey, SigningKeyState } from '../signing-key/signing-key.ts';
import type { RotationSettings } from './rotation-state.ts';

/**
 * States in which some JWKS may still have a key. A key that leaves at a recorded time counts until
 * then.
 */
const inJwks: ReadonlySet<SigningKeyState> = new Set(['next', 'current', 'previous']);

/** A region's share of the JWKS. */
export interface JwksRoom {
  readonly isFull: boolean;
  readonly used: number;
  readonly allowed: number;
  /** The region's key that is the next to leave the JWKS at its recorded time. */
  readonly leaving: SigningKey | undefined;
}

/**
 * How much of its share of the JWKS a region uses. Every region has the same fixed share, because
 * regions publish at the same time and without a transaction.
 */
export function findJwksRoom(
  keys: readonly SigningKey[],
  { regionId, policy }: Pick<RotationSettings, 'regionId' | 'policy'>,
): JwksRoom {
  const own = keys.filter((key) => key.regionId === regionId && inJwks.has(key.state));
  const allowed = keysOfRegionInJwks(policy);
  const [leaving] = own
    .filter((key) => key.withdrawAt !== undefined)
    .toSorted((a, b) => (a.withdrawAt ?? 0) - (b.withdrawAt ?? 0));
  return { isFull: own.length >= allowed, used: own.length, allowed, leaving };
}

/** Why a region cannot publish a key now, and when it can. */
export function explainFullJwks(
  { used, allowed, leaving }: JwksRoom,
  regionId: RotationSettings['regionId'],
): string {
  const until =
    leaving?.withdrawAt === undefined
      ? 'none of them has a time at which it leaves'
      : `${leaving.kid} leaves it at ${formatTime(leaving.withdrawAt)}`;
  return `${regionId} has ${used} keys in the JWKS, of ${allowed} that it may have (jwksMaxKeys), and ${until}`;
}
