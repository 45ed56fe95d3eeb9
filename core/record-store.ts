import type { OwnedItemsQuery, StorePage, StorePageQuery } from './paging.ts';
import type { PortOptions } from './port.ts';
import type { Stoppable } from './stops.ts';

/**
 * Records of one kind, by id, of which each change gives a record the next version.
 *
 * @typeParam Missing what is found if nothing is stored; `never` if that is a record without content.
 */
export interface RecordStore<T, Missing = undefined> {
  find(id: string): Promise<T | Missing>;
  /** By id. A record that is missing or cannot be read is left out. */
  findEach(ids: readonly string[]): Promise<ReadonlyMap<string, T>>;
  /** One page, by id. */
  readPage(query: StorePageQuery): Promise<StorePage<T>>;
  /** @throws {ConflictError} if the stored version is not `record.version - 1`. */
  put(record: T): Promise<void>;
}

/** A client or an API key: it belongs to a trunk group. Times are seconds since the epoch. */
export interface OwnedRecord extends Stoppable {
  readonly name: string;
  readonly serviceTrunkGroup: string;
  /**
   * Grows by one with each change of the item by management; guards against lost updates. Begins at
   * a random number, see core/record-version.ts.
   */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A request for one page of clients or API keys, with filters. */
export interface OwnedQuery<T> extends OwnedItemsQuery {
  /** Other filters. */
  readonly matches?: ((record: T) => boolean) | undefined;
}

/** The clients, or the API keys. */
export interface OwnedStore<T, Query extends OwnedQuery<T> = OwnedQuery<T>> {
  /** @returns undefined if there is no such record. */
  find(id: string, options?: PortOptions): Promise<T | undefined>;
  /** @throws {ConflictError} if the id exists. */
  create(record: T): Promise<void>;
  /**
   * Replaces a record whose stored version is `record.version - 1`, except what the token path
   * writes (`lastUsedOn`).
   *
   * @throws {ConflictError} if it was changed or deleted meanwhile.
   */
  replace(record: T): Promise<void>;
  /** @throws {ConflictError} if the stored version is another. */
  delete(id: string, version: number): Promise<void>;
  /**
   * One page, in an order that stays the same from page to page: of trunk groups, by group and then
   * by name. It costs a few reads of bounded size. If few records match, a page may have few items or
   * none, and still have a next page.
   *
   * @throws {InputError} for an `after` of another list.
   */
  readPage(query: Query): Promise<StorePage<T>>;
  /**
   * How many there are in a trunk group, as its index has them: it follows the table within a second.
   *
   * @param most where it stops counting.
   */
  count(serviceTrunkGroup: string, most: number): Promise<number>;
  /** Every record, in no particular order. */
  list(): AsyncIterable<T>;
}
