import type { StorePage, StorePageQuery } from '../paging.ts';

/** What may be granted in a service trunk group. A limit that is left out does not exist. */
export interface GrantLimits {
  /** Empty: none. */
  readonly scopes?: readonly string[] | undefined;
  readonly maxClients?: number | undefined;
  /** Zero: API keys are not allowed. */
  readonly maxApiKeys?: number | undefined;
  /** Seconds. */
  readonly maxTokenLifetime?: number | undefined;
  /** Seconds that a secret may have left. A secret without an end has no such limit. */
  readonly maxSecretLifetime?: number | undefined;
  /** Whether an API key must have a subnet, and none wider than `requiredSubnetPrefix`. */
  readonly requireSubnet?: boolean | undefined;
  /** Issuers of the registered providers under which clients may be created. Empty: none. */
  readonly providers?: readonly string[] | undefined;
  /** How many providers the trunk group may register for itself. Left out: none. */
  readonly ownProviders?: number | undefined;
}

/** The limits that the platform's staff has set for a trunk group. */
export interface TrunkGroupLimits extends GrantLimits {
  readonly serviceTrunkGroup: string;
  /** 0: nothing is stored. Records are never deleted, so a version never comes back. */
  readonly version: number;
  /** Seconds since the epoch. */
  readonly updatedAt?: number | undefined;
}

/** The limits of a trunk group for which none are stored. */
export function withoutLimits(serviceTrunkGroup: string): TrunkGroupLimits {
  return { serviceTrunkGroup, version: 0 };
}

export interface TrunkGroupLimitsStore {
  /**
   * @returns {@link withoutLimits} if nothing is stored.
   * @throws {MalformedRecordError} if the stored item cannot be read.
   */
  findLimits(serviceTrunkGroup: string): Promise<TrunkGroupLimits>;
  /** One page, by trunk group. */
  readLimits(query: StorePageQuery): Promise<StorePage<TrunkGroupLimits>>;
  /** @throws {ConflictError} if the stored version is not `limits.version - 1`. */
  putLimits(limits: TrunkGroupLimits): Promise<void>;
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

function common(
  a: readonly string[] | undefined,
  b: readonly string[] | undefined,
): readonly string[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.filter((one) => b.includes(one));
}

/** What both allow. */
export function intersectLimits(a: GrantLimits, b: GrantLimits): GrantLimits {
  return {
    scopes: common(a.scopes, b.scopes),
    maxClients: least(a.maxClients, b.maxClients),
    maxApiKeys: least(a.maxApiKeys, b.maxApiKeys),
    maxTokenLifetime: least(a.maxTokenLifetime, b.maxTokenLifetime),
    maxSecretLifetime: least(a.maxSecretLifetime, b.maxSecretLifetime),
    requireSubnet: a.requireSubnet === true || b.requireSubnet === true || undefined,
    providers: common(a.providers, b.providers),
    ownProviders: least(a.ownProviders, b.ownProviders),
  };
}
