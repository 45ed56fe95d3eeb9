import type { RegionId } from '../../contract/regions.ts';
import { isPublished, type SigningKey, type SigningKeyState } from './signing-key.ts';

export interface SigningNeed {
  readonly regionId: RegionId;
  /** Seconds since the epoch. */
  readonly now: number;
  /** When what is signed ceases to be valid, in seconds since the epoch. */
  readonly expiresAt: number;
  /** Seconds for which a key must have been published before verifiers can be relied on to know it. */
  readonly publicationLead: number;
}

type Suitable = (key: SigningKey, need: SigningNeed) => boolean;

/** When a key of each state may sign, in order of preference. Keys of no other state ever may. */
const preference: readonly (readonly [state: SigningKeyState, suitable: Suitable])[] = [
  ['current', () => true],
  ['next', (key, need) => need.now - key.publishedAt >= need.publicationLead],
  ['previous', (key, need) => key.withdrawAt === undefined || need.expiresAt <= key.withdrawAt],
];

/** The newest first; the kid decides between equals, so that every instance chooses alike. */
function byAge(a: SigningKey, b: SigningKey): number {
  return (
    (b.activatedAt ?? b.publishedAt) - (a.activatedAt ?? a.publishedAt) || (a.kid < b.kid ? -1 : 1)
  );
}

/**
 * The keys of a region that may sign, the one that should sign first. The others are fallback
 * keys for when KMS refuses it; each of them is known to every verifier for as long as it is needed.
 */
export function selectSigningKeys(
  keys: readonly SigningKey[],
  need: SigningNeed,
): readonly SigningKey[] {
  const own = keys.filter((key) => key.regionId === need.regionId && isPublished(key, need.now));
  return preference.flatMap(([state, suitable]) =>
    own.filter((key) => key.state === state && suitable(key, need)).sort(byAge),
  );
}
