import type { Client } from '../client/client.ts';
import { collect } from '../collect.ts';
import { NotFoundError, RefusedError } from '../errors.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import { makeAuditedChange } from './audited-change.ts';
import { deleteClient } from './change-client.ts';
import { listClients } from './find-client.ts';
import { parseIssuer } from './input-fields.ts';
import type { ManagementContext } from './management-context.ts';
import { viewIdentityProvider } from './provider-view.ts';

/**
 * @throws {InputError} where the text cannot be an issuer.
 * @throws {NotFoundError} where the issuer, exactly as given, is not registered.
 */
export async function findProvider(
  context: ManagementContext,
  issuer: string,
): Promise<IdentityProvider> {
  const found = await context.identityProviders.findIdentityProvider(parseIssuer(issuer, 'issuer'));
  if (found === undefined) throw new NotFoundError('provider', issuer);
  return found;
}

/** Every provider, by issuer. */
export async function listProviders(
  context: ManagementContext,
): Promise<readonly IdentityProvider[]> {
  const providers = await collect(context.identityProviders.listIdentityProviders());
  return providers.sort((a, b) => (a.issuer < b.issuer ? -1 : 1));
}

/** The clients under a provider, by name, those of its earlier registrations among them. */
export async function listProviderClients(
  context: ManagementContext,
  issuer: string,
): Promise<readonly Client[]> {
  const clients = await listClients(context);
  return clients.filter((client) => client.provider?.issuer === issuer);
}

/** More ids than this are counted, not listed: a message is read by a person. */
const maxListed = 20;

function describeClients(clients: readonly Client[]): string {
  const shown = clients.slice(0, maxListed).map((client) => `${client.clientId} (${client.name})`);
  const rest = clients.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/**
 * Deletes a provider, after the clients under it: one that is left for a moment finds no provider
 * and is refused.
 *
 * @param cascade whether clients under it go too.
 * @returns the clients that were deleted.
 * @throws {RefusedError} where it has clients and `cascade` is false.
 */
export async function deleteProvider(
  context: ManagementContext,
  issuer: string,
  cascade: boolean,
): Promise<readonly Client[]> {
  const provider = await findProvider(context, issuer);
  const clients = await listProviderClients(context, issuer);
  if (clients.length > 0 && !cascade) {
    throw new RefusedError(
      `the provider ${issuer} has ${clients.length === 1 ? 'a client' : `${clients.length} clients`}: ${describeClients(clients)}. Delete them first, or say --cascade`,
    );
  }
  for (const client of clients) await deleteClient(context, client);
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
