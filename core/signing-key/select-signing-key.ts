import type { RegionId } from '../../contract/regions.ts';
import type { SigningKeyPolicy } from '../../contract/signing-key-policy.ts';
import type { PortOptions } from '../port.ts';
import type { SigningKey, SigningKeyState } from './signing-key.ts';

/**
 * When a key may sign, in seconds since the epoch: the lead begins when every region is proved to
 * serve it. Infinite for a key that is not proved or has lost its proof.
 *
 * @param policy.publicationLead seconds.
 */
export function eligibleAt(
  key: Pick<SigningKey, 'provedAt'>,
  { publicationLead }: { readonly publicationLead: number },
): number {
  return key.provedAt === undefined ? Number.POSITIVE_INFINITY : key.provedAt + publicationLead;
}

/** The same, and for a key that is not proved the earliest time that is still possible. */
export function earliestEligibleAt(
  key: Pick<SigningKey, 'provedAt'>,
  policy: { readonly publicationLead: number },
  now: number,
): number {
  return eligibleAt({ provedAt: key.provedAt ?? now }, policy);
}

/** The key whose lead ends first; of those that are not proved, the one that was published first. */
export function byEligibility(policy: SigningKeyPolicy) {
  const rank = (key: SigningKey) => Math.min(eligibleAt(key, policy), Number.MAX_SAFE_INTEGER);
  return (a: SigningKey, b: SigningKey) =>
    rank(a) - rank(b) || a.publishedAt - b.publishedAt || (a.kid < b.kid ? -1 : 1);
}

/** Times are seconds. */
interface SigningNeed {
  readonly regionId: RegionId;
  /** Since the epoch. */
  readonly now: number;
  /** When the signed token expires, since the epoch. */
  readonly expiresAt: number;
  /** For how long every region must have served a key before every verifier knows it. */
  readonly publicationLead: number;
  /** By how much a verifier's clock may be behind the clock of the host that serves the JWKS. */
  readonly leeway: number;
}

/**
 * Whether a key of each state may sign. `next` and `previous` keys are fallback keys: every
 * verifier knows them until the token has expired. Keys of other states never sign.
 */
const suitable: Partial<Record<SigningKeyState, (key: SigningKey, need: SigningNeed) => boolean>> =
  {
    current: () => true,
    next: (key, need) => eligibleAt(key, need) <= need.now,
    previous: (key, need) =>
      (key.activatedAt !== undefined || eligibleAt(key, need) <= need.now) &&
      (key.withdrawAt === undefined || need.expiresAt + need.leeway <= key.withdrawAt),
  };

const preference: Partial<Record<SigningKeyState, number>> = { current: 0, next: 1, previous: 2 };

/** The newest of a state first; the kid decides between equals, so every instance chooses alike. */
function byPreference(a: SigningKey, b: SigningKey): number {
  return (
    (preference[a.state] ?? 0) - (preference[b.state] ?? 0) ||
    (b.activatedAt ?? b.publishedAt) - (a.activatedAt ?? a.publishedAt) ||
    (a.kid < b.kid ? -1 : 1)
  );
}

/**
 * The keys of a region that may sign, the one that should sign first. The others are fallback keys,
 * for when KMS refuses it. A region that has never signed has none: its first key signs when the
 * rotation has proved and promoted it.
 */
export function selectSigningKeys(
  keys: readonly SigningKey[],
  need: SigningNeed,
): readonly SigningKey[] {
  const chosen: SigningKey[] = [];
  let hasSigned = false;
  for (const key of keys) {
    if (key.regionId !== need.regionId) continue;
    if (key.activatedAt !== undefined) hasSigned = true;
    if (suitable[key.state]?.(key, need) === true) chosen.push(key);
  }
  if (!hasSigned) return [];
  return chosen.length > 1 ? chosen.sort(byPreference) : chosen;
}

export interface KeyListOptions extends PortOptions {
  /** Seconds. An older list is read again. */
  readonly maxAge?: number | undefined;
}

/** Every signing key of every region; usually from a cache. */
export type ListSigningKeys = (
  now: number,
  options?: KeyListOptions,
) => Promise<readonly SigningKey[]>;

/** What decides which keys may sign. Times are seconds. */
export type KeySettings = Pick<SigningNeed, 'regionId' | 'publicationLead' | 'leeway'>;

/** The keys of the region that are valid for the lifetime of the token, in order of preference. */
export async function chooseSigningKeys(
  listSigningKeys: ListSigningKeys,
  settings: KeySettings,
  { iat, exp }: { readonly iat: number; readonly exp: number },
  options: KeyListOptions = {},
): Promise<readonly SigningKey[]> {
  const keys = await listSigningKeys(iat, options);
  return selectSigningKeys(keys, { ...settings, now: iat, expiresAt: exp });
}
