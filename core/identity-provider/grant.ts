import type { StorePage, StorePageQuery } from '../paging.ts';

/** Something at an identity provider that the platform's staff gave to service trunk groups. */
export interface Grant {
  /** Of a subject grant a client id or a prefix of them, of an issuer grant a URL. */
  readonly value: string;
  /** One or more. */
  readonly trunkGroups: readonly string[];
}

/**
 * What is granted.
 *
 * - `subject`: client ids at one issuer, under which trunk groups may create clients.
 * - `issuer`: issuers at one host, which trunk groups may register for themselves.
 */
export type GrantKind = 'subject' | 'issuer';

/** All grants at one place. They are one record, so one conditional write decides about overlaps. */
export interface GrantList {
  readonly kind: GrantKind;
  /** The issuer of subject grants; of issuer grants the host, with a port that is not 443. */
  readonly place: string;
  /** In the order of their values. */
  readonly grants: readonly Grant[];
  /**
   * 0: nothing is stored, or the caller is limited to trunk groups. Lists are never deleted, so a
   * version never comes back.
   */
  readonly version: number;
  /** Seconds since the epoch. */
  readonly updatedAt?: number | undefined;
}

/** The list of a place for which none is stored. */
export function withoutGrants(kind: GrantKind, place: string): GrantList {
  return { kind, place, grants: [], version: 0 };
}

export interface GrantStore {
  /**
   * @returns {@link withoutGrants} if nothing is stored.
   * @throws {MalformedRecordError} if the stored item cannot be read.
   */
  findGrants(kind: GrantKind, place: string): Promise<GrantList>;
  /** One page of the lists of a kind, by place. */
  readGrants(kind: GrantKind, query: StorePageQuery): Promise<StorePage<GrantList>>;
  /** @throws {ConflictError} if the stored version is not `list.version - 1`. */
  putGrants(list: GrantList): Promise<void>;
}

/** The grants with another one. It replaces the one of the same value; without groups, it removes it. */
export function replaceGrant(grants: readonly Grant[], grant: Grant): readonly Grant[] {
  const others = grants.filter(({ value }) => value !== grant.value);
  if (grant.trunkGroups.length === 0) return others;
  return [...others, grant].toSorted((a, b) => (a.value < b.value ? -1 : 1));
}

/** How much of the item's size the grants take, in bytes. All values are ASCII. */
export function sizeOfGrants(grants: readonly Grant[]): number {
  return JSON.stringify(grants).length;
}
