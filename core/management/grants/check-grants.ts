import { findIssuerGrant, hostOf } from '../../identity-provider/issuer-grant.ts';
import { formatCursor, type PageRequest, readPageRequest } from '../list-query.ts';
import type { ManagementContext } from '../management-context.ts';
import { listOwnProviders, type OwnProvider } from '../provider-ownership.ts';
import { indexOwners } from '../provider-reach.ts';
import { requireEveryTrunkGroup } from '../trunk-group-limit.ts';
import { checkOutside, type OutsideClient } from './outside-clients.ts';

export interface GrantCheckFilter extends PageRequest {
  /** Only clients under this provider. */
  readonly issuer?: string | undefined;
}

export interface GrantCheck {
  readonly items: readonly OutsideClient[];
  /** Providers of trunk groups that are not granted to each of them. On the first page. */
  readonly providers: readonly OwnProvider[];
  readonly examined: number;
  readonly nextCursor?: string | undefined;
}

async function findOutsideProviders(
  context: ManagementContext,
  issuer: string | undefined,
): Promise<readonly OwnProvider[]> {
  const found: OwnProvider[] = [];
  for (const provider of await listOwnProviders(context)) {
    if (issuer !== undefined && provider.issuer !== issuer) continue;
    const host = hostOf(provider.issuer);
    const { grants } = await context.providerGrants.findGrants('issuer', host);
    const granted = findIssuerGrant(grants, provider.issuer)?.trunkGroups ?? [];
    if (!provider.trunkGroups.every((group) => granted.includes(group))) found.push(provider);
  }
  return found;
}

/**
 * What exists without a grant: clients whose ids at a provider are not granted to their trunk groups,
 * and providers of trunk groups to which the issuer is not granted. It goes on. One page reads one
 * page of all clients, so it may have few or none although there is a next one.
 *
 * @throws {RefusedError} if the caller is limited to trunk groups.
 */
export async function checkGrants(
  context: ManagementContext,
  filter: GrantCheckFilter = {},
): Promise<GrantCheck> {
  requireEveryTrunkGroup(context, 'The check of grants');
  const { limit, cursor, issuer } = filter;
  const request = readPageRequest({ limit, cursor });
  const { items, examined, next } = await context.clients.readClients({ ...request, issuer });
  const registrations = items.flatMap(({ provider }) => provider ?? []);
  const owners = await indexOwners(context, registrations);
  const { providerGrants } = context;
  const outsideOf = checkOutside({ providerGrants, findOwner: async (id) => owners.get(id) });
  const outside: OutsideClient[] = [];
  for (const client of items) {
    const found = await outsideOf(client);
    if (found !== undefined) outside.push(found);
  }
  const isFirst = request.after === undefined;
  return {
    items: outside,
    providers: isFirst ? await findOutsideProviders(context, issuer) : [],
    examined,
    nextCursor: next === undefined ? undefined : formatCursor(next),
  };
}
