import type { OperationInput, OperationResult } from '../../../contract/management/operations.ts';
import {
  findIssuerGrant,
  type Grant,
  hostOf,
  subjectsOverlap,
  valueOf,
} from '../../identity-provider/grant.ts';
import { requireEveryTrunkGroup } from '../caller-reach.ts';
import { formatCursor, readPageRequest } from '../list-query.ts';
import type { ManagementContext } from '../management-context.ts';
import { listOwnProviders, type OwnProvider } from '../providers/provider-ownership.ts';
import { checkOutside, type OutsideClient } from './grant-lists.ts';

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
  const outsideOf = checkOutside({ subjectGrants, findOwner: async (id) => owners.get(id) });
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

/** A grant that clients need. */
export interface ProposedGrant extends Grant {
  /** Grants that it takes the place of, because grants do not overlap. */
  readonly insteadOf: readonly string[];
}

/**
 * The grants at one issuer that clients outside need, in addition to those that there are. A grant of
 * several trunk groups shows that customers share an id: the staff decides whose it is.
 *
 * @param present grants at the issuer.
 */
export function proposeGrants(
  present: readonly Grant[],
  outside: readonly Pick<OutsideClient, 'subject' | 'serviceTrunkGroup'>[],
): readonly ProposedGrant[] {
  let proposed: readonly ProposedGrant[] = present.map((one) => ({ ...one, insteadOf: [] }));
  for (const { subject, serviceTrunkGroup } of outside) {
    const value = valueOf(subject);
    const shared = proposed.filter((one) => subjectsOverlap(one.value, value));
    const values = [value, ...shared.map((one) => one.value)];
    // Of values that overlap, the shortest stands for all.
    const shortest = values.reduce((a, b) => (b.length < a.length ? b : a));
    const groups = [serviceTrunkGroup, ...shared.flatMap(({ trunkGroups }) => trunkGroups)];
    const replaced = shared.flatMap((one) =>
      one.value === shortest ? one.insteadOf : [one.value, ...one.insteadOf],
    );
    const isPresent = (one: string) => present.some((grant) => grant.value === one);
    proposed = [
      ...proposed.filter((one) => !shared.includes(one)),
      {
        value: shortest,
        trunkGroups: [...new Set(groups)].toSorted(),
        insteadOf: [...new Set(replaced)].filter(isPresent).toSorted(),
      },
    ];
  }
  const isNew = (one: ProposedGrant) =>
    !present.some((grant) => grant.value === one.value && isSame(grant, one));
  return proposed.filter(isNew).toSorted((a, b) => (a.value < b.value ? -1 : 1));
}

function isSame(grant: Grant, other: Grant): boolean {
  return grant.trunkGroups.toSorted().join(' ') === other.trunkGroups.join(' ');
}
