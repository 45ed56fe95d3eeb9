import type { OwnedItemsQuery, StorePage } from '../paging.ts';
import type { PortOptions } from '../port.ts';
import type { CheckedClient, Client } from './client.ts';

/** What the verifier needs of clients. */
export interface ClientLookup {
  /** Resolves and rejects as {@link ClientReader.findClient} does. */
  findClient(clientId: string, options?: PortOptions): Promise<CheckedClient | undefined>;
}

/** What the token endpoint needs of clients. */
export interface ClientReader {
  /**
   * @returns undefined if there is no such client.
   * @throws {MalformedRecordError} if the stored item cannot be read.
   * @throws {UnavailableError} if the store does not answer in time.
   */
  findClient(clientId: string, options?: PortOptions): Promise<Client | undefined>;
}

/** Records that a client authenticated: at most one conditional write per day and credential. */
export interface UseRecorder {
  /**
   * @param secretId undefined if an assertion of its provider authenticated the client.
   * @param day UTC day, e.g. `2026-11-20`.
   */
  recordUse(
    clientId: string,
    secretId: string | undefined,
    day: string,
    options?: PortOptions,
  ): Promise<void>;
}

/** A request for one page of clients, with filters. */
export interface ClientsQuery extends OwnedItemsQuery {
  /** Issuer of the registered provider that the clients are under. */
  readonly issuer?: string | undefined;
  /** A secret of the client: at most one client has it, and the whole table is searched for it. */
  readonly secretId?: string | undefined;
  /** Other filters. */
  readonly matches?: ((client: Client) => boolean) | undefined;
}

/** What management also needs. */
export interface ClientStore extends ClientReader {
  /** @throws {ConflictError} if the id exists. */
  createClient(client: Client): Promise<void>;
  /**
   * Replaces a client whose stored version is `client.version - 1`, except what the token path
   * writes (`lastUsedOn`).
   *
   * @throws {ConflictError} if it was changed or deleted meanwhile.
   */
  replaceClient(client: Client): Promise<void>;
  /** @throws {ConflictError} if the stored version is another. */
  deleteClient(clientId: string, version: number): Promise<void>;
  /**
   * One page of clients, in an order that stays the same from page to page: of trunk groups, by
   * group and then by name. It costs a few reads of bounded size. If few clients match, a page may
   * have few items or none, and still have a next page.
   *
   * @throws {InputError} for an `after` of another list.
   */
  readClients(query: ClientsQuery): Promise<StorePage<Client>>;
  /** Every client, in no particular order. */
  listClients(): AsyncIterable<Client>;
}
