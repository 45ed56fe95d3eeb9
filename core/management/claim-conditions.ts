import type { ClaimCondition } from '../client/claim-condition.ts';

/** Claims that a client's tokens must have, with each value once. */
export function withDistinctValues(
  conditions: readonly ClaimCondition[],
): readonly ClaimCondition[] {
  return conditions.map(({ claim, values }) => ({ claim, values: [...new Set(values)] }));
}
