import type { ApiKey } from '../api-key/api-key.ts';
import type { Client } from '../client/client.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import { viewApiKey } from '../management/api-key-view.ts';
import { viewClient } from '../management/client-view.ts';
import type { ManagementContext } from '../management/management-context.ts';
import { viewIdentityProvider } from '../management/provider-view.ts';
import { replayApiKey } from './replay-api-key.ts';
import { replayClient } from './replay-client.ts';
import { replayProvider } from './replay-provider.ts';
import type { Restorable } from './restore-items.ts';

/** Items of the restored tables, by kind. */
export interface RestoredTables {
  readonly clients: () => AsyncIterable<Client>;
  readonly apiKeys: () => AsyncIterable<ApiKey>;
  readonly identityProviders: () => AsyncIterable<IdentityProvider>;
}

export function restorableClients(
  context: ManagementContext,
  list: RestoredTables['clients'],
): Restorable<Client> {
  return {
    noun: 'client',
    idOf: ({ clientId }) => clientId,
    nameOf: ({ name }) => name,
    view: (client) => viewClient(client, context.config),
    list,
    find: (id) => context.clients.findClient(id),
    create: (client) => context.clients.createClient(client),
    replay: (client, changes, undelete) => replayClient(client, changes, context.config, undelete),
  };
}

export function restorableApiKeys(
  context: ManagementContext,
  list: RestoredTables['apiKeys'],
): Restorable<ApiKey> {
  return {
    noun: 'api_key',
    idOf: ({ keyId }) => keyId,
    nameOf: ({ name }) => name,
    view: viewApiKey,
    list,
    find: (id) => context.apiKeys.findApiKey(id),
    create: (key) => context.apiKeys.createApiKey(key),
    replay: replayApiKey,
  };
}

export function restorableProviders(
  context: ManagementContext,
  list: RestoredTables['identityProviders'],
): Restorable<IdentityProvider> {
  return {
    noun: 'identity_provider',
    idOf: ({ issuer }) => issuer,
    nameOf: ({ issuer }) => issuer,
    view: viewIdentityProvider,
    list,
    find: (issuer) => context.identityProviders.findIdentityProvider(issuer),
    create: (provider) => context.identityProviders.createIdentityProvider(provider),
    replay: replayProvider,
  };
}
