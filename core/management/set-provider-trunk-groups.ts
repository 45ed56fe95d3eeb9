import type * as v from 'valibot';
import { maxListedItems } from '../../contract/limits.ts';
import type { providerTrunkGroups } from '../../contract/management/inputs.ts';
import type { Client } from '../client/client.ts';
import { ConflictError, RefusedError } from '../errors.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import { hasOwner, type ProviderOwner } from '../identity-provider/provider-owner.ts';
import { readEvery } from '../paging.ts';
import { makeAuditedChange } from './audited-change.ts';
import { findProvider } from './identity-providers.ts';
import { checkVersion } from './if-version.ts';
import { currentTime, type ManagementContext } from './management-context.ts';
import { checkRoomForProvider, requireOwnProvider } from './provider-ownership.ts';
import { type ManagedProvider, showOwner } from './provider-reach.ts';
import { viewIdentityProvider } from './provider-view.ts';

export type ProviderTrunkGroups = v.InferOutput<typeof providerTrunkGroups>;

/** @throws {RefusedError} if a client under the provider is in another trunk group. */
async function checkClients(
  clients: AsyncIterable<Client>,
  { issuer }: IdentityProvider,
  groups: readonly string[],
): Promise<void> {
  for await (const { clientId, name, serviceTrunkGroup, provider } of clients) {
    if (provider?.issuer !== issuer || groups.includes(serviceTrunkGroup)) continue;
    throw new RefusedError(
      `the client ${clientId} (${name}) of the service trunk group ${serviceTrunkGroup} is under the provider; delete it first`,
    );
  }
}

/**
 * Writes the owner, and looks again for clients in the groups that it left: one may have been
 * created since the first look. `createClient` looks at the owner in the same way, so one of the two
 * sees the other. The second look reads the table, which an index follows only later.
 *
 * @throws {ConflictError} if there is one. The owner is what it was.
 */
async function putWhileEmpty(
  { clients, providerOwners }: ManagementContext,
  provider: IdentityProvider,
  next: ProviderOwner,
  present: readonly string[],
): Promise<void> {
  await providerOwners.putOwner(next);
  try {
    await checkClients(clients.listClients(), provider, next.trunkGroups);
  } catch (error) {
    // Without an owner before, nothing can be restored: no group would mean the whole platform.
    if (present.length > 0) {
      await providerOwners.putOwner({ ...next, trunkGroups: present, version: next.version + 1 });
    }
    throw error instanceof RefusedError
      ? new ConflictError(`${error.message}: it was created meanwhile`)
      : error;
  }
}

/**
 * Changes which trunk groups a provider of their own is for. The registration and the clients under
 * it stay. The platform's staff can take the provider over: then it is the platform's.
 *
 * @throws {RefusedError} if it was registered for the whole platform, is not the caller's, has
 *   clients in a group that it would leave, or may not be in a group that it would come to.
 * @throws {ConflictError} if it was changed in the meantime.
 */
export async function setProviderTrunkGroups(
  context: ManagementContext,
  issuer: string,
  owners: ProviderTrunkGroups,
): Promise<ManagedProvider> {
  const groups = [...new Set(owners.trunkGroups)];
  const provider = await findProvider(context, issuer);
  const stored = await requireOwnProvider(context, provider);
  if (!hasOwner(provider)) {
    throw new RefusedError(
      `the provider ${issuer} was registered for the whole platform; its use is limited by the limits of each trunk group`,
    );
  }
  const { trunkGroups: present = [], version = 0 } = stored ?? {};
  checkVersion(`the owner of ${issuer}`, owners.ifVersion, version);
  const added = groups.filter((group) => !present.includes(group));
  if (context.trunkGroups !== undefined) await checkRoomForProvider(context, added);
  const isOnlyMore = present.length > 0 && present.every((group) => groups.includes(group));
  const leaves = groups.length > 0 && !isOnlyMore;
  const under = (position: string | undefined) =>
    context.clients.readClients({ issuer, limit: maxListedItems, after: position });
  if (leaves) await checkClients(readEvery(under), provider, groups);
  const { owner: _, ...registered } = provider;
  const next: ProviderOwner = {
    registrationId: provider.registrationId,
    issuer,
    trunkGroups: groups,
    version: version + 1,
    updatedAt: currentTime(context),
  };
  const after = showOwner(context, registered, next);
  await makeAuditedChange(
    context,
    {
      action: 'identity_provider.set_trunk_groups',
      subject: issuer,
      before: viewIdentityProvider(provider),
      after: viewIdentityProvider(after),
    },
    () =>
      leaves
        ? putWhileEmpty(context, provider, next, present)
        : context.providerOwners.putOwner(next),
  );
  return after;
}
