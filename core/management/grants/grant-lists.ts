import type * as v from 'valibot';
import {
  maxGrantListBytes,
  maxListedItems,
  maxProviderUrlLength,
} from '../../../contract/bounds.ts';
import type { grantedClientActions } from '../../../contract/management/inputs.ts';
import type { OperationInput, OperationResult } from '../../../contract/management/operations.ts';
import type { outsideClient } from '../../../contract/management/results.ts';
import type { Client } from '../../client/client.ts';
import { subjectOf } from '../../client/provider-client-id.ts';
import { ConflictError, NotFoundError, RefusedError } from '../../errors.ts';
import {
  findIssuerGrant,
  findIssuerGrantProblem,
  findSharedSubjects,
  findSubjectGrant,
  findSubjectProblem,
  type Grant,
  type GrantList,
  hostOf,
  issuersOverlap,
  replaceGrant,
  sizeOfGrants,
  subjectsOverlap,
  valueOf,
  withoutGrants,
} from '../../identity-provider/grant.ts';
import { parseProviderUrl } from '../../identity-provider/provider-url.ts';
import { readEvery } from '../../paging.ts';
import { isEnabled, withStop } from '../../stops.ts';
import { requireEveryTrunkGroup } from '../caller-reach.ts';
import { getClient, removeClient, writeClient } from '../clients.ts';
import { checkVersion, repeatStop } from '../if-version.ts';
import { formatCursor, type Page, readPageRequest, toPage } from '../list-query.ts';
import {
  currentTime,
  type ManagementContext,
  makeAuditedChange,
  newStop,
} from '../management-context.ts';
import { findProvider } from '../providers/identity-providers.ts';
import { listOwnProviders, type OwnProvider } from '../providers/provider-ownership.ts';
import { getRegisteredIssuer } from '../providers/registered-issuer.ts';
import { listTexts, refuseInput } from '../read-input.ts';

async function findOutsideProviders(
  context: ManagementContext,
  issuer: string | undefined,
): Promise<readonly OwnProvider[]> {
  const found: OwnProvider[] = [];
  for (const provider of await listOwnProviders(context)) {
    if (issuer !== undefined && provider.issuer !== issuer) continue;
    const host = hostOf(provider.issuer);
    const { grants } = await context.issuerGrants.find(host);
    const granted = findIssuerGrant(grants, provider.issuer)?.trunkGroups ?? [];
    if (!provider.trunkGroups.every((group) => granted.includes(group))) found.push(provider);
  }
  return found;
}

/**
 * What exists without a grant: clients whose ids at a provider are not granted to their trunk groups,
 * and providers of trunk groups to which the issuer is not granted. It goes on. One page reads one
 * page of all clients, so it may have few or none although there is a next one.
 */
export async function checkGrants(
  context: ManagementContext,
  filter: OperationInput<'checkGrants', 'filter'> = {},
): Promise<OperationResult<'checkGrants'>> {
  requireEveryTrunkGroup(context, 'The check of grants');
  const { issuer } = filter;
  const request = readPageRequest(filter);
  const { items, examined, next } = await context.clients.readPage({ ...request, issuer });
  const registrations = items.flatMap(({ provider }) => provider?.registrationId ?? []);
  const { subjectGrants, providerOwners } = context;
  const owners = await providerOwners.findEach([...new Set(registrations)]);
  const lists = new Map<string, readonly Grant[]>();
  const outside: OutsideClient[] = [];
  for (const client of items) {
    const { provider, serviceTrunkGroup } = client;
    if (provider === undefined) continue;
    const grants = lists.get(provider.issuer) ?? (await subjectGrants.find(provider.issuer)).grants;
    lists.set(provider.issuer, grants);
    const owner = owners.get(provider.registrationId);
    const found = findOutside(client, grants);
    const isOwn = owner?.trunkGroups.includes(serviceTrunkGroup) === true;
    if (found !== undefined && !isOwn) outside.push(found);
  }
  const isFirst = request.after === undefined;
  return {
    items: outside,
    providers: isFirst ? await findOutsideProviders(context, issuer) : [],
    examined,
    nextCursor: next === undefined ? undefined : formatCursor(next),
  };
}

export type OutsideClient = v.InferOutput<typeof outsideClient>;

/** @returns undefined if the client's id, or each that its pattern matches, is granted to its group. */
export function findOutside(client: Client, grants: readonly Grant[]): OutsideClient | undefined {
  const { clientId, name, serviceTrunkGroup, provider } = client;
  if (provider === undefined) return undefined;
  const { issuer } = provider;
  const subject = subjectOf(provider);
  if (findSubjectGrant(grants, subject)?.trunkGroups.includes(serviceTrunkGroup)) return undefined;
  const shared = findSharedSubjects(grants, subject);
  const grantedTo = [...new Set(shared.flatMap(({ trunkGroups }) => trunkGroups))].toSorted();
  return {
    clientId,
    name,
    serviceTrunkGroup,
    enabled: isEnabled(client),
    issuer,
    subject,
    grantedTo,
  };
}

/** What a grant becomes, and what it is compared with. */
interface GrantChange {
  readonly grant: Grant;
  readonly overlaps: (value: string, other: string) => boolean;
  readonly seen: { readonly ifVersion?: number | undefined };
}

/**
 * The list with a grant.
 *
 * @throws {NotFoundError} if a grant is withdrawn that does not exist.
 * @throws {RefusedError} if it overlaps with another, or the list is full.
 * @throws {ConflictError} if the list is not the one that the caller has seen.
 */
function planGrant(
  { now, before }: { readonly now: number; readonly before: GrantList },
  { grant, overlaps, seen: { ifVersion } }: GrantChange,
): GrantList {
  const { place, grants, version } = before;
  checkVersion(`what is granted at ${place}`, ifVersion, version);
  const { value, trunkGroups } = grant;
  if (trunkGroups.length === 0 && !grants.some((one) => one.value === value)) {
    throw new NotFoundError('grant', value);
  }
  const others = grants.filter((one) => one.value !== value);
  const other = others.find((one) => overlaps(value, one.value));
  if (other !== undefined) {
    throw new RefusedError(
      `${JSON.stringify(value)} overlaps with ${JSON.stringify(other.value)}, which is granted to ${other.trunkGroups.join(', ')}; withdraw that grant first, or add the trunk groups to it`,
    );
  }
  const after = replaceGrant(grants, grant);
  const size = sizeOfGrants(after);
  if (size > maxGrantListBytes && trunkGroups.length > 0) {
    throw new RefusedError(
      `the grants at ${place} would have ${size} bytes; allowed: at most ${maxGrantListBytes}. Grant a prefix in place of its client ids, or withdraw what is not needed`,
    );
  }
  return { ...before, grants: after, version: version + 1, updatedAt: now };
}

/**
 * A grant as the audit describes it. A caller that has all of its trunk groups sees the record, so
 * it has no version: that would count the changes of others.
 */
function viewGrant({ place }: GrantList, grant: Grant | undefined) {
  if (grant === undefined) return undefined;
  return { place, value: grant.value, service_trunk_groups: grant.trunkGroups };
}

/** Writes a list in which the grant of a value is another one. */
async function writeGrant(
  context: ManagementContext,
  lists: { readonly before: GrantList; readonly after: GrantList },
  value: string,
): Promise<void> {
  const { before, after } = lists;
  const grantIn = ({ grants }: GrantList) => grants.find((one) => one.value === value);
  await makeAuditedChange(
    context,
    {
      action: `${after.kind}_grant.set`,
      subject: after.place,
      before: viewGrant(before, grantIn(before)),
      after: viewGrant(after, grantIn(after)),
    },
    () => context[`${after.kind}Grants`].put(after),
  );
}

/**
 * The grants that a caller may see: those of its own trunk groups, without the names of others. The
 * version and the time of the list would tell a restricted caller what others have.
 */
export function showGrants(
  { trunkGroups: reach }: Pick<ManagementContext, 'trunkGroups'>,
  list: GrantList,
): GrantList {
  if (reach === undefined) return list;
  const { kind, place } = list;
  const grants = list.grants.map(({ value, trunkGroups }) => ({
    value,
    trunkGroups: trunkGroups.filter((group) => reach.includes(group)),
  }));
  const shown = grants.filter(({ trunkGroups }) => trunkGroups.length > 0);
  return { ...withoutGrants(kind, place), grants: shown };
}

/**
 * The client ids that are granted at an issuer. A restricted caller sees those of its trunk groups.
 *
 * @throws {NotFoundError} if the caller cannot reach the provider, or no such issuer is registered
 *   and nothing is granted at it.
 */
export async function findSubjectGrants(
  context: ManagementContext,
  issuer: string,
): Promise<GrantList> {
  const isRestricted = context.trunkGroups !== undefined;
  if (isRestricted) await getRegisteredIssuer(context, issuer);
  const list = await context.subjectGrants.find(issuer);
  // What is granted stays when a provider is deleted, and can then be withdrawn.
  if (!isRestricted && list.version === 0) await getRegisteredIssuer(context, issuer);
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
    const stop = await newStop(context);
    await repeatStop({}, async () => {
      const client = await getClient(context, clientId);
      const stops = withStop(client.stops, 'person', stop);
      if (action === 'delete') await removeClient(context, client);
      else await writeClient(context, client, 'client.disable', { stops });
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
  grant: OperationInput<'setSubjectGrant', 'grant'>,
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
  filter: OperationInput<'listGrants', 'filter'>,
): Promise<Page<GrantList>> {
  requireEveryTrunkGroup(context, 'The list of grants');
  const request = readPageRequest(filter);
  const { after = '' } = request;
  // A position is an issuer or a host. DynamoDB fails for one that is too long.
  if (after.length > maxProviderUrlLength) refuseInput('cursor', filter.cursor, 'a nextCursor');
  const page = await context[`${filter.kind}Grants`].readPage(request);
  return toPage(page, (a, b) => (a.place < b.place ? -1 : 1));
}

function checkUrl(
  { allowLoopbackProviders: allowLoopback }: ManagementContext,
  issuer: string,
): void {
  parseProviderUrl(issuer, 'issuer', { allowLoopback, field: 'issuer' });
}

/**
 * What is granted at the host of an issuer: which trunk groups may register which issuers there. A
 * restricted caller sees those of its trunk groups.
 */
export async function findIssuerGrants(
  context: ManagementContext,
  issuer: string,
): Promise<GrantList> {
  checkUrl(context, issuer);
  return showGrants(context, await context.issuerGrants.find(hostOf(issuer)));
}

/** @returns why not, if another trunk group has registered an issuer that the grant has. */
async function findRegistered(
  context: ManagementContext,
  grant: Grant,
  leave: readonly string[],
): Promise<string | undefined> {
  if (grant.trunkGroups.length === 0) return undefined;
  for (const { issuer, trunkGroups } of await listOwnProviders(context)) {
    const isTheirs = trunkGroups.every((group) => grant.trunkGroups.includes(group));
    if (isTheirs || leave.includes(issuer) || findIssuerGrant([grant], issuer) === undefined) {
      continue;
    }
    return `${issuer} is registered for the service trunk groups ${trunkGroups.join(', ')}: delete or assign that provider first, or say that they keep it (leave)`;
  }
  return undefined;
}

/**
 * Lets trunk groups register an issuer and those below its path, in addition to the number that
 * their limits name, or withdraws it. What is registered goes on.
 *
 * @throws {RefusedError} if the grant overlaps with another one, the list of the host is full, or
 *   another trunk group has registered such an issuer.
 * @throws {ConflictError} if the grants at the host were changed in the meantime, or another trunk
 *   group registered such an issuer.
 */
export async function setIssuerGrant(
  context: ManagementContext,
  issuer: string,
  grant: OperationInput<'setIssuerGrant', 'grant'>,
): Promise<GrantList> {
  const { leave = [] } = grant;
  requireEveryTrunkGroup(context, 'A grant');
  checkUrl(context, issuer);
  const problem = findIssuerGrantProblem(issuer);
  if (problem !== undefined) refuseInput('issuer', issuer, problem);
  const normalized = { value: issuer, trunkGroups: [...new Set(grant.trunkGroups)].toSorted() };
  const before = await context.issuerGrants.find(hostOf(issuer));
  const after = planGrant(
    { now: currentTime(context), before },
    { grant: normalized, overlaps: issuersOverlap, seen: grant },
  );
  const registered = await findRegistered(context, normalized, leave);
  if (registered !== undefined) throw new RefusedError(registered);
  await writeGrant(context, { before, after }, issuer);
  // One that was registered while the grant was written.
  const meanwhile = await findRegistered(context, normalized, leave);
  if (meanwhile === undefined) return after;
  throw new ConflictError(`the grant is written, and meanwhile ${meanwhile}`);
}
