import type { Client } from '../client/client.ts';
import { collect } from '../collect.ts';
import { RefusedError, VersionConflictError } from '../errors.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import { makeAuditedChange } from './audited-change.ts';
import { removeClient } from './change-client.ts';
import { collectClients } from './find-client.ts';
import { parseIssuer } from './input-fields.ts';
import type { ManagementContext } from './management-context.ts';
import { viewIdentityProvider } from './provider-view.ts';
import { optional, readBoolean, readFields, readText } from './read-input.ts';
import { findRegisteredIssuer } from './registered-issuer.ts';
import { requireEveryTrunkGroup } from './trunk-group-limit.ts';

/**
 * @throws {InputError} if the text cannot be an issuer.
 * @throws {NotFoundError} if the issuer, exactly as given, is not registered.
 */
export async function findProvider(
  context: ManagementContext,
  issuer: string,
): Promise<IdentityProvider> {
  return findRegisteredIssuer(context, issuer, 'issuer');
}

/** Every provider, by issuer. */
export async function listProviders(
  context: ManagementContext,
): Promise<readonly IdentityProvider[]> {
  const providers = await collect(context.identityProviders.listIdentityProviders());
  return providers.sort((a, b) => (a.issuer < b.issuer ? -1 : 1));
}

/**
 * Every client under a provider, by name, those of its earlier registrations included. Reads the
 * whole table; `listClients` with `provider` reads one page.
 */
export async function listProviderClients(
  context: ManagementContext,
  issuer: string,
): Promise<readonly Client[]> {
  parseIssuer(issuer, 'issuer');
  const clients = await collectClients(context);
  return clients.filter((client) => client.provider?.issuer === issuer);
}

/** More ids than this are counted, not listed, because people read the message. */
const maxListed = 20;

function describeClients(clients: readonly Client[]): string {
  const shown = clients.slice(0, maxListed).map((client) => `${client.clientId} (${client.name})`);
  const rest = clients.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

export interface DeleteProviderOptions {
  /** Whether the clients under it are deleted with it. */
  readonly cascade?: boolean | undefined;
  /** `registrationId` of the registration that the caller has seen. */
  readonly ifRegistration?: string | undefined;
}

function checkRegistration(provider: IdentityProvider, expected: unknown): void {
  const seen = optional(expected, (id) => readText('ifRegistration', id, 'a registrationId'));
  if (seen === undefined || seen === provider.registrationId) return;
  throw new VersionConflictError(`the provider ${provider.issuer}`, seen, provider.registrationId);
}

/**
 * Deletes the clients under a provider, then the provider. The opposite order would leave clients
 * without a provider.
 *
 * @returns the clients that were deleted.
 * @throws {RefusedError} if it has clients and `cascade` is not true.
 * @throws {ConflictError} if it was deleted and registered again in the meantime.
 */
export async function deleteProvider(
  context: ManagementContext,
  issuer: string,
  options: DeleteProviderOptions = {},
): Promise<readonly Client[]> {
  const given = readFields('options', options, ['cascade', 'ifRegistration']);
  const cascade = optional(given.cascade, (value) => readBoolean('cascade', value)) ?? false;
  requireEveryTrunkGroup(context, 'A provider');
  const provider = await findProvider(context, issuer);
  checkRegistration(provider, given.ifRegistration);
  const clients = await listProviderClients(context, issuer);
  if (clients.length > 0 && !cascade) {
    throw new RefusedError(
      `the provider ${issuer} has ${clients.length === 1 ? 'a client' : `${clients.length} clients`}: ${describeClients(clients)}. Delete them first, or add --cascade`,
    );
  }
  for (const client of clients) await removeClient(context, client);
  await makeAuditedChange(
    context,
    {
      action: 'identity_provider.delete',
      subject: issuer,
      before: viewIdentityProvider(provider),
    },
    () => context.identityProviders.deleteIdentityProvider(issuer, provider.registrationId),
  );
  return clients;
}
