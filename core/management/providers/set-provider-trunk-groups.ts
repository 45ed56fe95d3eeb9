import { maxListedItems } from '../../../contract/bounds.ts';
import type { OperationInput } from '../../../contract/management/operations.ts';
import type { Client } from '../../client/client.ts';
import { subjectOf } from '../../client/provider-client-id.ts';
import { RefusedError } from '../../errors.ts';
import { describeClaimRisk } from '../../identity-provider/client-id-claim.ts';
import {
  hasOwner,
  type IdentityProvider,
  ownedBy,
  type ProviderOwner,
} from '../../identity-provider/identity-provider.ts';
import { readEvery } from '../../paging.ts';
import { requireIssuerGrant } from '../grants/require-grant.ts';
import { checkVersion } from '../if-version.ts';
import { currentTime, type ManagementContext, makeAuditedChange } from '../management-context.ts';
import { keepIfAllowed } from '../owned-records.ts';
import { listTexts, refuseInput } from '../read-input.ts';
import { requireRunning } from '../trunk-group-limits/require-running.ts';
import { followOwner } from '../trunk-group-limits/trunk-group-stop.ts';
import { findProvider } from './identity-providers.ts';
import { checkRoomForProvider, requireOwnProvider } from './provider-ownership.ts';
import { type ManagedProvider, showOwner, viewIdentityProvider } from './provider-reach.ts';

type ProviderTrunkGroups = OperationInput<'setProviderTrunkGroups', 'owners'>;

/** The trunk groups whose clients stay. */
interface Staying {
  readonly groups: readonly string[];
  readonly isTakeover: boolean;
}

/** @throws {RefusedError} if a client under the provider is in another trunk group. */
async function checkClients(
  clients: AsyncIterable<Client>,
  { issuer }: IdentityProvider,
  { groups, isTakeover }: Staying,
): Promise<void> {
  const found: string[] = [];
  for await (const { clientId, name, serviceTrunkGroup, provider } of clients) {
    if (provider?.issuer !== issuer || groups.includes(serviceTrunkGroup)) continue;
    const id = JSON.stringify(subjectOf(provider));
    found.push(
      `the client ${clientId} (${name}, ${id}) of the service trunk group ${serviceTrunkGroup}`,
    );
  }
  if (found.length === 0) return;
  const [are, them] = found.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const keep = isTakeover
    ? `, or name each trunk group whose clients stay (keepClientsOf; with authctl, --keep-clients-of)`
    : '';
  throw new RefusedError(
    `${listTexts(found)} ${are} under the provider; delete ${them} first${keep}`,
  );
}

/**
 * What a customer prepared does not become the platform's unseen: the claim that names the client, and
 * each client.
 *
 * @returns the trunk groups whose clients stay.
 * @throws {RefusedError} if users of the provider can write the claim and the caller does not confirm
 *   it.
 */
function checkTakeover(
  { clientIdClaim, clientPatterns }: IdentityProvider,
  { keepClientsOf = [], allowUserWritableClaim: accepted }: ProviderTrunkGroups,
): readonly string[] {
  const risk = describeClaimRisk(clientIdClaim);
  if (risk !== undefined && accepted !== true) {
    const patterns = clientPatterns === true ? ', and ids of its clients may be patterns' : '';
    throw new RefusedError(
      `a takeover keeps the choices of the registration: ${risk}${patterns}. Confirm the claim (allowUserWritableClaim), or delete the provider and register it again`,
    );
  }
  return keepClientsOf;
}

/** Refuses what only a takeover can have. */
function refuseKept(input: ProviderTrunkGroups): void {
  for (const field of ['keepClientsOf', 'allowUserWritableClaim'] as const) {
    if (input[field] === undefined) continue;
    refuseInput(field, input[field], 'nothing, unless the provider is taken over: no trunk groups');
  }
}

/**
 * Writes the owner, then completes the change. What creates a client or stops a trunk group looks at
 * the owner in the same way, so one of the two sees the other.
 *
 * @param present the trunk groups that it has.
 */
async function putWhileAllowed(
  context: ManagementContext,
  next: ProviderOwner,
  present: readonly string[],
  complete: () => Promise<void>,
): Promise<void> {
  await context.providerOwners.put(next);
  const undoing = `set the trunk groups of ${next.issuer} to ${present.join(', ')} again`;
  const undo = async () => {
    const former = { ...next, trunkGroups: present, version: next.version + 1 };
    // Without an owner before, nothing can be restored: no group would mean the whole platform.
    if (present.length > 0) await context.providerOwners.put(former);
  };
  try {
    await keepIfAllowed(undoing, complete, undo);
  } finally {
    // A pass may have seen only the other owner, and a restore may have brought back its stop.
    await followOwner(context, next.issuer);
  }
}

/**
 * Changes which trunk groups a provider of their own is for. The registration and the clients under
 * it stay. The platform's staff can take the provider over: then it is the platform's. A takeover says
 * of which trunk groups clients stay, and confirms a claim that users of the provider can write.
 *
 * @throws {RefusedError} if it was registered for the whole platform, is not the caller's, has
 *   clients in a group that it would leave or that a takeover does not name, or may not be in a group
 *   that it would come to.
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
  // The stop of a group would go with its provider to another.
  const touched = [...new Set([...present, ...groups])];
  await requireRunning(context, touched);
  const added = groups.filter((group) => !present.includes(group));
  if (context.trunkGroups !== undefined) await checkRoomForProvider(context, added);
  await requireIssuerGrant(context, issuer, added);
  const isTakeover = groups.length === 0;
  if (!isTakeover) refuseKept(owners);
  const kept = isTakeover ? checkTakeover(provider, owners) : groups;
  const staying = { groups: kept, isTakeover };
  const isMore = present.length > 0 && present.every((group) => kept.includes(group));
  const leaves = isTakeover || !isMore;
  const readPage = (position: string | undefined) =>
    context.clients.readPage({ issuer, limit: maxListedItems, after: position });
  if (leaves) await checkClients(readEvery(readPage), provider, staying);
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
      putWhileAllowed(context, next, present, async () => {
        // The table, which an index follows only later.
        if (leaves) await checkClients(context.clients.list(), provider, staying);
        await requireRunning(context, touched);
        const changed = { ...registered, ...ownedBy(groups) };
        await context.identityProviders.replaceIdentityProvider(changed, provider);
      }),
  );
  return after;
}
