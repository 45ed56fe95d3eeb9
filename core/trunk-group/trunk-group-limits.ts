import type * as v from 'valibot';
import { proposedLimits } from '../../contract/management/inputs.ts';
import type { trunkGroupLimits } from '../../contract/management/results.ts';
import { commonIfAny, either, least } from '../narrowing/meets.ts';
import { meetRecords, type NarrowTable } from '../narrowing/narrow.ts';

export const limitNames = proposedLimits.fields;

/** What may be given in a service trunk group. A limit that is left out does not exist. */
export type Limits = v.InferOutput<typeof proposedLimits>;

/** The limits that the platform's staff has set for a trunk group. */
export type TrunkGroupLimits = v.InferOutput<typeof trunkGroupLimits>;

/** The limits of a trunk group for which none are stored. */
export function withoutLimits(serviceTrunkGroup: string): TrunkGroupLimits {
  return { serviceTrunkGroup, version: 0 };
}

/** A limit that is left out allows everything; of `ownProviders`, see `withOwnProviderLimit`. */
const limitTable: NarrowTable<Limits> = {
  scopes: { over: 'ever', meet: commonIfAny },
  maxClients: { over: 'ever', meet: least },
  maxApiKeys: { over: 'ever', meet: least },
  maxTokenLifetime: { over: 'ever', meet: least },
  maxSecretLifetime: { over: 'ever', meet: least },
  maxApiKeyLifetime: { over: 'ever', meet: least },
  requireSubnet: { over: 'ever', meet: either },
  requireApiKeyScopes: { over: 'ever', meet: either },
  providers: { over: 'ever', meet: commonIfAny },
  ownProviders: { over: 'ever', meet: least },
};

/** What both allow. */
export function intersectLimits(a: Limits, b: Limits): Limits {
  return meetRecords(limitTable, a, b);
}
