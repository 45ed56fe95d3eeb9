import { addSubnet, removeSubnet } from '../core/management/api-key-subnets.ts';
import {
  createApiKey,
  deleteApiKey,
  findApiKey,
  listApiKeys,
  renameApiKey,
  setApiKeyEnabled,
} from '../core/management/api-keys.ts';
import { deleteClient, setClientEnabled, updateClient } from '../core/management/change-client.ts';
import {
  createClientSecret,
  deleteClientSecret,
  rotateClientSecret,
  updateClientSecret,
} from '../core/management/client-secrets.ts';
import { createClient } from '../core/management/create-client.ts';
import { findClient, listClients } from '../core/management/find-client.ts';
import {
  deleteProvider,
  findProvider,
  listProviderClients,
  listProviders,
} from '../core/management/identity-providers.ts';
import type { ManagementContext } from '../core/management/management-context.ts';
import { registerProvider } from '../core/management/register-provider.ts';
import { createManagementContext, type ManagementOptions } from './management-context.ts';

export type { ApiKey } from '../core/api-key/api-key.ts';
export type { Client, ClientSecret } from '../core/client/client.ts';
export { ConflictError, InputError, NotFoundError, UnavailableError } from '../core/errors.ts';
export type { IdentityProvider } from '../core/identity-provider/identity-provider.ts';
export type { ManagementOptions } from './management-context.ts';

/** What a portal, or `authctl`, can do. Each is documented where it is defined. */
const operations = {
  createClient,
  findClient,
  listClients,
  updateClient,
  setClientEnabled,
  deleteClient,
  createClientSecret,
  rotateClientSecret,
  updateClientSecret,
  deleteClientSecret,
  createApiKey,
  findApiKey,
  listApiKeys,
  renameApiKey,
  setApiKeyEnabled,
  deleteApiKey,
  addSubnet,
  removeSubnet,
  registerProvider,
  findProvider,
  listProviders,
  listProviderClients,
  deleteProvider,
} as const;

type Operations = typeof operations;

type Bound<Operation> = Operation extends (
  context: ManagementContext,
  ...rest: infer Rest
) => infer Result
  ? (...rest: Rest) => Result
  : never;

/**
 * The management of one deployment. Times are seconds since the epoch, lifetimes seconds. Every
 * change is written to the audit before it is made.
 *
 * Each operation rejects with {@link InputError} for a value that is not allowed, naming it and
 * what is; {@link NotFoundError}; {@link ConflictError} where somebody else changed the same thing
 * at once, so that the caller reads it again; {@link UnavailableError} where DynamoDB does not
 * answer.
 */
export type Management = { readonly [Name in keyof Operations]: Bound<Operations[Name]> };

/**
 * The management library over a deployment's tables: what the web portal calls.
 *
 *     const management = createManagement({ config, actor: async () => user.email });
 *     const { client } = await management.createClient({ name, serviceTrunkGroup, scopes });
 *     const { value } = await management.createClientSecret(client.clientId, {});
 *
 * A secret's value is returned once and never again: only its hash is kept.
 */
export function createManagement(options: ManagementOptions): Management {
  const context = createManagementContext(options);
  const bound = Object.entries(operations).map(([name, operation]) => [
    name,
    (operation as (context: ManagementContext, ...rest: readonly unknown[]) => unknown).bind(
      undefined,
      context,
    ),
  ]);
  return Object.freeze(Object.fromEntries(bound)) as Management;
}
