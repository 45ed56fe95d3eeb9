import type { PortOptions } from '../port.ts';
import type { OwnedQuery, OwnedStore } from '../record-store.ts';
import type { CheckedClient, Client } from './client.ts';

/** What the verifier needs of clients. */
export interface ClientLookup {
  /** Resolves and rejects as {@link ClientReader.findClient} does. */
  findClient(clientId: string, options?: PortOptions): Promise<CheckedClient | undefined>;
}

/** What the token endpoint needs of clients. */
export interface ClientReader {
  /** @returns undefined if there is no such client. */
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
export interface ClientsQuery extends OwnedQuery<Client> {
  /** Issuer of the registered provider that the clients are under. */
  readonly issuer?: string | undefined;
  /** A secret of the client: at most one client has it, and the whole table is searched for it. */
  readonly secretId?: string | undefined;
}

/** What management needs of clients. */
export type ClientStore = OwnedStore<Client, ClientsQuery>;
