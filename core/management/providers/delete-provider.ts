import type * as v from 'valibot';
import type { deleteProviderOptions } from '../../../contract/management/inputs.ts';
import type { Client } from '../../client/client.ts';
import { RefusedError, VersionConflictError } from '../../errors.ts';
import type { IdentityProvider } from '../../identity-provider/identity-provider.ts';
import { byNameThen, type Page, readPageRequest, toPage } from '../list-query.ts';
import { type ManagementContext, makeAuditedChange } from '../management-context.ts';
import { removeClient } from '../owned-clients.ts';
import { listTexts } from '../read-input.ts';
import { findProvider } from './identity-providers.ts';
import { requireOwnProvider } from './provider-ownership.ts';
import { viewIdentityProvider } from './provider-reach.ts';

function refuseWithClients(issuer: string, { items, nextCursor }: Page<Client>): never {
  const list = listTexts(items.map((client) => `${client.clientId} (${client.name})`));
  const count = items.length === 1 ? 'a client' : `${items.length} clients`;
  const more = nextCursor === undefined ? '' : ', and others may follow';
  const them = items.length === 1 && nextCursor === undefined ? 'it' : 'them';
  throw new RefusedError(
    `the provider ${issuer} has ${count}: ${list}${more}. Delete ${them} first, or add --cascade`,
  );
}

function checkRegistration(provider: IdentityProvider, seen: string | undefined): void {
  if (seen === undefined || seen === provider.registrationId) return;
  throw new VersionConflictError(`the provider ${provider.issuer}`, seen, provider.registrationId);
}

/**
 * Deletes the clients under a provider, then the provider. The opposite order would leave clients
 * without a provider. No index leads from a provider to its clients: each call reads one page of
 * the clients table, and the caller continues with `nextCursor` until it is undefined.
 *
 * @returns the clients that this call deleted. Without `nextCursor`, the provider is deleted too.
 * @throws {RefusedError} if it has clients and `cascade` is not true, and if the caller is limited
 *   to trunk groups and the provider is not theirs.
 * @throws {ConflictError} if it was deleted and registered again in the meantime.
 */
export async function deleteProvider(
  context: ManagementContext,
  issuer: string,
  options: v.InferOutput<typeof deleteProviderOptions> = {},
): Promise<Page<Client>> {
  const { cascade = false, ifRegistration } = options;
  const request = readPageRequest(options);
  const provider = await findProvider(context, issuer);
  await requireOwnProvider(context, provider);
  checkRegistration(provider, ifRegistration);
  const page = toPage(
    await context.clients.readPage({ ...request, issuer }),
    byNameThen(({ clientId }) => clientId),
  );
  if (page.items.length > 0 && !cascade) refuseWithClients(issuer, page);
  for (const client of page.items) await removeClient(context, client);
  if (page.nextCursor !== undefined) return page;
  await makeAuditedChange(
    context,
    {
      action: 'identity_provider.delete',
      subject: issuer,
      before: viewIdentityProvider(provider),
    },
    () => context.identityProviders.deleteIdentityProvider(issuer, provider.registrationId),
  );
  return page;
}
