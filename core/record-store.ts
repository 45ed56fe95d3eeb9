import type { StorePage, StorePageQuery } from './paging.ts';

/**
 * Records of one kind, by id, of which each change gives a record the next version.
 *
 * @typeParam Missing what is found if nothing is stored; `never` if that is a record without content.
 */
export interface RecordStore<T, Missing = undefined> {
  /** @throws {MalformedRecordError} if the stored item cannot be read. */
  find(id: string): Promise<T | Missing>;
  /** By id. A record that is missing or cannot be read is left out. */
  findEach(ids: readonly string[]): Promise<ReadonlyMap<string, T>>;
  /** One page, by id. */
  readPage(query: StorePageQuery): Promise<StorePage<T>>;
  /** @throws {ConflictError} if the stored version is not `record.version - 1`. */
  put(record: T): Promise<void>;
}
