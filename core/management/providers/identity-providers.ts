import type { OperationInput, OperationResult } from '../../../contract/management/operations.ts';
import type { Client } from '../../client/client.ts';
import { RefusedError, VersionConflictError } from '../../errors.ts';
import { hasGivenKeys, versionOf } from '../../identity-provider/given-keys.ts';
import type { IdentityProvider } from '../../identity-provider/identity-provider.ts';
import { collect } from '../../paging.ts';
import { isStoppedBy, type Stops, withStop } from '../../stops.ts';
import { removeClient } from '../clients.ts';
import { byNameThen, type Page, readPageRequest, toPage } from '../list-query.ts';
import { type ManagementContext, makeAuditedChange, newStop } from '../management-context.ts';
import { listTexts } from '../read-input.ts';
import { requireReachedTrunkGroup } from '../trunk-group-limits/limits-record.ts';
import { requireOwnProvider } from './provider-ownership.ts';
import {
  findOwner,
  isShown,
  type ManagedProvider,
  showOwner,
  showOwners,
  viewIdentityProvider,
} from './provider-reach.ts';
import { getRegisteredIssuer } from './registered-issuer.ts';

/** A provider with the version of the keys that were given for it. */
async function showKeys(
  { identityProviders }: ManagementContext,
  provider: ManagedProvider,
): Promise<ManagedProvider> {
  if (!hasGivenKeys(provider)) return provider;
  const keys = await identityProviders.findGivenKeys(provider.issuer);
  return { ...provider, givenKeys: versionOf(keys, provider) };
}

/** @throws {NotFoundError} if the issuer, exactly as given, is not registered. */
export async function findProvider(
  context: ManagementContext,
  issuer: string,
): Promise<ManagedProvider> {
  const provider = await showKeys(context, await getRegisteredIssuer(context, issuer));
  if (isShown(provider)) return provider;
  return showOwner(context, provider, await findOwner(context, provider));
}

export async function listProviders(
  context: ManagementContext,
): Promise<readonly ManagedProvider[]> {
  const providers = await collect(context.identityProviders.listIdentityProviders());
  const sorted = providers.sort((a, b) => (a.issuer < b.issuer ? -1 : 1));
  const shown = await Promise.all(sorted.map((provider) => showKeys(context, provider)));
  return showOwners(context, shown);
}

/**
 * {@link listProviders} and the limits of trunk groups in one request. The list of a restricted caller
 * depends on the limits, and a request reads those of a trunk group once.
 *
 * @throws {NotFoundError} if the caller cannot reach one of the trunk groups.
 */
export async function listProvidersWithLimits(
  context: ManagementContext,
  serviceTrunkGroups: readonly string[],
): Promise<OperationResult<'listProvidersWithLimits'>> {
  for (const group of serviceTrunkGroups) requireReachedTrunkGroup(context, group);
  const [providers, limits] = await Promise.all([
    listProviders(context),
    Promise.all(serviceTrunkGroups.map((group) => context.trunkGroupLimits.find(group))),
  ]);
  return { providers, limits };
}

function refuseWithClients(issuer: string, { items, nextCursor }: Page<Client>): never {
  const list = listTexts(items.map((client) => `${client.clientId} (${client.name})`));
  const count = items.length === 1 ? 'a client' : `${items.length} clients`;
  const more = nextCursor === undefined ? '' : ', and others may follow';
  const them = items.length === 1 && nextCursor === undefined ? 'it' : 'them';
  throw new RefusedError(
    `the provider ${issuer} has ${count}: ${list}${more}. Delete ${them} first, or add --cascade`,
  );
}

/** @throws {ConflictError} if it was stopped, or a stop ended, in the meantime. */
export async function writeProviderStops(
  context: ManagementContext,
  provider: ManagedProvider,
  verb: 'stop' | 'resume',
  stops: Stops | undefined,
): Promise<ManagedProvider> {
  const { owner: _owner, givenKeys: _keys, ...registered } = provider;
  const after = { ...provider, stops };
  await makeAuditedChange(
    context,
    {
      action: `identity_provider.${verb}`,
      subject: provider.issuer,
      before: viewIdentityProvider(provider),
      after: viewIdentityProvider(after),
    },
    () => context.identityProviders.replaceIdentityProvider({ ...registered, stops }, provider),
  );
  return after;
}

function checkRegistration(provider: IdentityProvider, seen: string | undefined): void {
  if (seen === undefined || seen === provider.registrationId) return;
  throw new VersionConflictError(`the provider ${provider.issuer}`, seen, provider.registrationId);
}

/**
 * Stops a provider, deletes the clients under it, then the provider: its tokens and those of its
 * clients are refused from the first call on, as long as a process may hold what it read. No index leads from a provider to its clients: each call reads one page of
 * the clients table, and the caller continues with `nextCursor` until it is undefined. The last one
 * begins again if the first page has clients.
 *
 * @returns the clients that this call deleted. Without `nextCursor`, the provider is deleted too.
 * @throws {RefusedError} if it has clients and `cascade` is not true, and if the caller is restricted
 *   to trunk groups and the provider is not theirs.
 * @throws {ConflictError} if it was deleted and registered again in the meantime.
 */
export async function deleteProvider(
  context: ManagementContext,
  issuer: string,
  options: OperationInput<'deleteProvider', 'options'> = {},
): Promise<Page<Client>> {
  const { cascade = false, ifRegistration } = options;
  const request = readPageRequest(options);
  const provider = await findProvider(context, issuer);
  await requireOwnProvider(context, provider);
  checkRegistration(provider, ifRegistration);
  const read = (after?: string) => context.clients.readPage({ ...request, issuer, after });
  const found = await read(request.after);
  // A cursor that was made up passes over clients: the last step looks at the first page, too.
  const isLast = found.next === undefined && request.after !== undefined;
  const first = isLast ? await read() : found;
  const page = toPage(
    first.items.length > 0 ? first : found,
    byNameThen(({ clientId }) => clientId),
  );
  if (page.items.length > 0 && !cascade) refuseWithClients(issuer, page);
  const hasMore = page.items.length > 0 || page.nextCursor !== undefined;
  // A deletion that is continued finds its stop.
  if (cascade && hasMore && !isStoppedBy(provider, 'deletion')) {
    const stops = withStop(provider.stops, 'deletion', await newStop(context));
    await writeProviderStops(context, provider, 'stop', stops);
  }
  for (const client of page.items) await removeClient(context, client);
  if (page.nextCursor !== undefined) return page;
  await makeAuditedChange(
    context,
    { action: 'identity_provider.delete', subject: issuer, before: viewIdentityProvider(provider) },
    () => context.identityProviders.deleteIdentityProvider(issuer, provider.registrationId),
  );
  return page;
}
