import type { OperationInput, OperationResult } from '../../../contract/management/operations.ts';
import { findIssuerGrant, type Grant, hostOf } from '../../identity-provider/grant.ts';
import { requireEveryTrunkGroup } from '../caller-reach.ts';
import { formatCursor, readPageRequest } from '../list-query.ts';
import type { ManagementContext } from '../management-context.ts';
import { listOwnProviders, type OwnProvider } from '../providers/provider-ownership.ts';
import { findOutside, type OutsideClient } from './grant-lists.ts';

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
