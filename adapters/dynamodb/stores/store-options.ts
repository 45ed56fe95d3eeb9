import type { MalformedRecordError } from '../../../core/errors.ts';

/** How a store reads. */
export interface StoreOptions {
  /**
   * Whether reads see every earlier write: for management and rotation. By default, reads are
   * eventually consistent: faster, half the price, and independent of other regions.
   */
  readonly consistentRead?: boolean | undefined;
  /** Receives each error when a list skips an item that cannot be read, and whose the item is. */
  readonly onMalformedRecord?:
    | ((error: MalformedRecordError, serviceTrunkGroup?: string) => void)
    | undefined;
  /**
   * Finds what may be missing in an index by trunk group, because it was changed just now. Without
   * it, lists do not use the index.
   */
  readonly findRecent?: FindRecent | undefined;
}

/**
 * @param actions of the audit, that create an item or change its name.
 * @param trunkGroups of the items; undefined for all.
 * @param text in the id, or in the name that the item has got.
 * @returns ids of the items.
 */
export type FindRecent = (
  actions: readonly string[],
  trunkGroups: readonly string[] | undefined,
  text?: string,
) => Promise<readonly string[]>;
