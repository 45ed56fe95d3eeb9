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
