import type { OwnedItemsQuery, StorePage } from '../paging.ts';
import type { PortOptions } from '../port.ts';
import type { ApiKey } from './api-key.ts';

/** What the verifier needs of API keys. */
export interface ApiKeyReader {
  /**
   * @returns undefined if there is no such key.
   * @throws {MalformedRecordError} if the stored item cannot be read.
   * @throws {UnavailableError} if the store does not answer in time.
   */
  findApiKey(keyId: string, options?: PortOptions): Promise<ApiKey | undefined>;
  /**
   * Hears of each value that was accepted. It returns at once and throws nothing. No request waits for
   * what it starts.
   */
  readonly recordUse?: RecordApiKeyUse | undefined;
}

/** Which value of which key was accepted. */
export interface ApiKeyUse {
  readonly keyId: string;
  readonly valueId: string;
}

/** @param now seconds since the epoch. */
export type RecordApiKeyUse = (use: ApiKeyUse, now: number) => void;

/** The days on which values of API keys were last used. */
export interface ApiKeyUseReader {
  /**
   * @returns the last day of each value that has one, in the order of the values.
   * @throws {UnavailableError} if a region does not answer in time.
   */
  findLastUses(uses: readonly ApiKeyUse[]): Promise<readonly (string | undefined)[]>;
}

/** A request for one page of API keys, with filters. */
interface ApiKeysQuery extends OwnedItemsQuery {
  /** Other filters. */
  readonly matches?: ((key: ApiKey) => boolean) | undefined;
}

/** What management also needs. */
export interface ApiKeyStore extends ApiKeyReader {
  /** @throws {ConflictError} if the id exists. */
  createApiKey(key: ApiKey): Promise<void>;
  /** @throws {ConflictError} if the stored version is not `key.version - 1`. */
  replaceApiKey(key: ApiKey): Promise<void>;
  /** @throws {ConflictError} if the stored version is another. */
  deleteApiKey(keyId: string, version: number): Promise<void>;
  /** One page of keys: see `ClientStore.readClients`. */
  readApiKeys(query: ApiKeysQuery): Promise<StorePage<ApiKey>>;
  /** Every key, in no particular order. */
  listApiKeys(): AsyncIterable<ApiKey>;
}
