import type { SigningKeyPolicy } from '../../contract/signing-key-policy.ts';
import type { SigningKey } from './signing-key.ts';

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
