import type * as v from 'valibot';
import { maxListedItems, maxProviderUrlLength } from '../../../contract/limits.ts';
import type {
  grantedClientActions,
  grantsFilter,
  newSubjectGrant,
} from '../../../contract/management/inputs.ts';
import type { OperationResult } from '../../../contract/management/operations.ts';
import type { Client } from '../../client/client.ts';
import { subjectOf } from '../../client/provider-client-id.ts';
import { NotFoundError, RefusedError } from '../../errors.ts';
import {
  findSubjectProblem,
  type Grant,
  type GrantList,
  subjectsOverlap,
  valueOf,
} from '../../identity-provider/grant.ts';
import { readEvery } from '../../paging.ts';
import { requireEveryTrunkGroup } from '../caller-reach.ts';
import { repeatStop } from '../if-version.ts';
import { type Page, readPageRequest, toPage } from '../list-query.ts';
import { currentTime, type ManagementContext } from '../management-context.ts';
import { findClient, removeClient, writeClient } from '../owned-clients.ts';
import { findProvider } from '../providers/identity-providers.ts';
import { getRegisteredIssuer } from '../providers/registered-issuer.ts';
import { listTexts, refuseInput } from '../read-input.ts';
import { planGrant, showGrants, writeGrant } from './change-grant.ts';
import { findOutside } from './outside-clients.ts';

/**
 * The client ids that are granted at an issuer. A limited caller sees those of its trunk groups.
 *
 * @throws {NotFoundError} if the caller cannot reach the provider, or no such issuer is registered
 *   and nothing is granted at it.
 */
export async function findSubjectGrants(
  context: ManagementContext,
  issuer: string,
): Promise<GrantList> {
  const isLimited = context.trunkGroups !== undefined;
  if (isLimited) await getRegisteredIssuer(context, issuer);
  const list = await context.subjectGrants.find(issuer);
  // What is granted stays when a provider is deleted, and can then be withdrawn.
  if (!isLimited && list.version === 0) await getRegisteredIssuer(context, issuer);
  return showGrants(context, list);
}

/** Clients of other trunk groups with ids that a grant has. Of 500 and more, the first 500. */
async function readOtherClients(
  { clients }: ManagementContext,
  issuer: string,
  grant: Grant,
): Promise<readonly Client[]> {
  const found: Client[] = [];
  if (grant.trunkGroups.length === 0) return found;
  const readPage = (after: string | undefined) =>
    clients.readPage({ issuer, limit: maxListedItems, after });
  for await (const client of readEvery(readPage)) {
    const { serviceTrunkGroup, provider } = client;
    if (provider === undefined || grant.trunkGroups.includes(serviceTrunkGroup)) continue;
    if (!subjectsOverlap(grant.value, valueOf(subjectOf(provider)))) continue;
    found.push(client);
    if (found.length === maxListedItems) break;
  }
  return found;
}

function refuseUndecided(clients: readonly Client[]): never {
  const texts = clients.map(
    ({ clientId, name, serviceTrunkGroup, provider }) =>
      `${clientId} (${name}) of ${serviceTrunkGroup} as ${JSON.stringify(provider && subjectOf(provider))}`,
  );
  throw new RefusedError(
    `clients of other service trunk groups have such ids: ${listTexts(texts)}. Say of each what becomes of it: disable, delete or leave`,
  );
}

/**
 * Makes what the staff decided. A change of the trunk group that looked at the grants before them is
 * still to be written: it is based on an earlier version, so a new one is written in each case.
 */
async function settle(
  context: ManagementContext,
  { clientId }: Client,
  action: (typeof grantedClientActions)[number] | undefined,
): Promise<void> {
  if (action === undefined || action === 'leave') return;
  try {
    await repeatStop({}, async () => {
      const client = await findClient(context, clientId);
      if (action === 'delete') await removeClient(context, client);
      else await writeClient(context, client, 'client.disable', { enabled: false });
    });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}

/**
 * Gives client ids at a provider to trunk groups, or withdraws them. Only these trunk groups can then
 * create clients with such ids. What clients exist goes on unless the caller says otherwise.
 *
 * @throws {RefusedError} if the grant overlaps with another one, the list of the issuer is full, or a
 *   client of another trunk group has such an id and the caller does not say what becomes of it.
 */
export async function setSubjectGrant(
  context: ManagementContext,
  issuer: string,
  grant: v.InferOutput<typeof newSubjectGrant>,
): Promise<OperationResult<'setSubjectGrant'>> {
  const { value, clients = [] } = grant;
  requireEveryTrunkGroup(context, 'A grant');
  const problem = findSubjectProblem(value);
  if (problem !== undefined) refuseInput('value', value, problem);
  const normalized = { value, trunkGroups: [...new Set(grant.trunkGroups)].toSorted() };
  const decisions = new Map(clients.map(({ clientId, action }) => [clientId, action]));
  const before = await findSubjectGrants(context, issuer);
  const after = planGrant(
    { now: currentTime(context), before },
    { grant: normalized, overlaps: subjectsOverlap, seen: grant },
  );
  if (normalized.trunkGroups.length > 0) await findProvider(context, issuer);
  const others = await readOtherClients(context, issuer, normalized);
  const undecided = others.filter(({ clientId }) => !decisions.has(clientId));
  if (undecided.length > 0) refuseUndecided(undecided);
  await writeGrant(context, { before, after }, normalized.value);
  for (const client of others) await settle(context, client, decisions.get(client.clientId));
  // A client that was created while the grant was written.
  const left = await readOtherClients(context, issuer, normalized);
  const otherClients = left.flatMap((client) => findOutside(client, after.grants) ?? []);
  return { ...after, otherClients };
}

/**
 * One page of everything that is granted, by issuer or host.
 */
export async function listGrants(
  context: ManagementContext,
  filter: v.InferOutput<typeof grantsFilter>,
): Promise<Page<GrantList>> {
  requireEveryTrunkGroup(context, 'The list of grants');
  const request = readPageRequest(filter);
  const { after = '' } = request;
  // A position is an issuer or a host. DynamoDB fails for one that is too long.
  if (after.length > maxProviderUrlLength) refuseInput('cursor', filter.cursor, 'a nextCursor');
  const page = await context[`${filter.kind}Grants`].readPage(request);
  return toPage(page, (a, b) => (a.place < b.place ? -1 : 1));
}
