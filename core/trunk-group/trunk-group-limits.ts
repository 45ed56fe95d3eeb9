import type * as v from 'valibot';
import { proposedLimits } from '../../contract/management/inputs.ts';
import type { trunkGroupLimits } from '../../contract/management/results.ts';

export const limitNames = proposedLimits.fields;

/** What may be given in a service trunk group. A limit that is left out does not exist. */
export type Limits = v.InferOutput<typeof proposedLimits>;

/** The limits that the platform's staff has set for a trunk group. */
export type TrunkGroupLimits = v.InferOutput<typeof trunkGroupLimits>;

/** The limits of a trunk group for which none are stored. */
export function withoutLimits(serviceTrunkGroup: string): TrunkGroupLimits {
  return { serviceTrunkGroup, version: 0 };
}

/** What both allow of one limit: the values of both lists, the smaller number, the stricter flag. */
function strictest(a: unknown, b: unknown): unknown {
  if (a === undefined || b === undefined) return a ?? b;
  if (Array.isArray(a) && Array.isArray(b)) return a.filter((one) => b.includes(one));
  if (typeof a === 'number' && typeof b === 'number') return Math.min(a, b);
  return a === true || b === true;
}

/** What both allow. */
export function intersectLimits(a: Limits, b: Limits): Limits {
  return Object.fromEntries(limitNames.map((name) => [name, strictest(a[name], b[name])]));
}
