import type { ApiKey } from '../../core/api-key/api-key.ts';
import type { ApiKeyStore } from '../../core/api-key/api-key-store.ts';
import type { AuditLog, AuditRecord } from '../../core/audit/audit-log.ts';
import type { Client } from '../../core/client/client.ts';
import type { ClientStore } from '../../core/client/client-store.ts';
import { ConflictError } from '../../core/errors.ts';
import type { IdentityProvider } from '../../core/identity-provider/identity-provider.ts';
import type { IdentityProviderStore } from '../../core/identity-provider/identity-provider-store.ts';

interface VersionedTable<T> {
  find(id: string): Promise<T | undefined>;
  create(item: T): Promise<void>;
  replace(item: T): Promise<void>;
  remove(id: string, version: number): Promise<void>;
  list(): AsyncIterable<T>;
}

/** A table in memory with the conditions of the real one: nobody's change is overwritten. */
function versionedTable<T extends { readonly version: number }>(
  items: Map<string, T>,
  idOf: (item: T) => string,
): VersionedTable<T> {
  const check = (id: string, version: number): void => {
    if (items.get(id)?.version !== version) throw new ConflictError(`${id} changed meanwhile`);
  };
  return {
    find: async (id) => structuredClone(items.get(id)),
    create: async (item) => {
      if (items.has(idOf(item))) throw new ConflictError(`${idOf(item)} exists`);
      items.set(idOf(item), structuredClone(item));
    },
    replace: async (item) => {
      check(idOf(item), item.version - 1);
      items.set(idOf(item), structuredClone(item));
    },
    remove: async (id, version) => {
      check(id, version);
      items.delete(id);
    },
    list: async function* list() {
      for (const item of items.values()) yield structuredClone(item);
    },
  };
}

export function createMemoryClientStore(items = new Map<string, Client>()): ClientStore {
  const table = versionedTable(items, (client) => client.clientId);
  return {
    findClient: (id) => table.find(id),
    createClient: (client) => table.create(client),
    replaceClient: (client) => table.replace(client),
    deleteClient: (id, version) => table.remove(id, version),
    listClients: () => table.list(),
  };
}

export function createMemoryApiKeyStore(items = new Map<string, ApiKey>()): ApiKeyStore {
  const table = versionedTable(items, (key) => key.keyId);
  return {
    findApiKey: (id) => table.find(id),
    createApiKey: (key) => table.create(key),
    replaceApiKey: (key) => table.replace(key),
    deleteApiKey: (id, version) => table.remove(id, version),
    listApiKeys: () => table.list(),
  };
}

export function createMemoryIdentityProviderStore(
  items = new Map<string, IdentityProvider>(),
): IdentityProviderStore {
  return {
    findIdentityProvider: async (issuer) => structuredClone(items.get(issuer)),
    createIdentityProvider: async (provider) => {
      if (items.has(provider.issuer)) throw new ConflictError(`${provider.issuer} is registered`);
      items.set(provider.issuer, structuredClone(provider));
    },
    deleteIdentityProvider: async (issuer, registrationId) => {
      if (items.get(issuer)?.registrationId !== registrationId) {
        throw new ConflictError(`${issuer} was registered anew`);
      }
      items.delete(issuer);
    },
    listIdentityProviders: async function* list() {
      for (const provider of items.values()) yield structuredClone(provider);
    },
  };
}

export function createMemoryAuditLog(records: AuditRecord[] = []): AuditLog {
  return {
    appendAudit: async (record) => {
      records.push(structuredClone(record));
    },
  };
}
