import { maxClaimConditions } from '../../contract/limits.ts';
import type { ClaimCondition } from '../client/claim-condition.ts';

type Conditions = readonly ClaimCondition[];

function mergeCondition(claim: string, lists: readonly Conditions[]): ClaimCondition {
  const values = lists.flatMap((list) => list.find((one) => one.claim === claim)?.values ?? []);
  const isAllowed = (value: string) =>
    lists.every((list) => list.find((one) => one.claim === claim)?.values.includes(value) ?? true);
  return { claim, values: [...new Set(values)].filter(isAllowed) };
}

/**
 * Required claims that only those tokens have which meet every list.
 *
 * @returns undefined if no token can have them, or a client cannot require so many.
 */
export function commonConditions(lists: readonly Conditions[]): Conditions | undefined {
  const claims = [...new Set(lists.flat().map(({ claim }) => claim))];
  const merged = claims.map((claim) => mergeCondition(claim, lists));
  const isPossible = merged.every(({ values }) => values.length > 0);
  return isPossible && merged.length <= maxClaimConditions ? merged : undefined;
}
