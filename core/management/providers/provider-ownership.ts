import { RefusedError } from '../../errors.ts';
import { issuerOfDiscoveryUrl } from '../../identity-provider/discovery-document.ts';
import type { IdentityProvider, ProviderOwner } from '../../identity-provider/identity-provider.ts';
import { collect } from '../../paging.ts';
import type { Limits } from '../../trunk-group/trunk-group-limits.ts';
import { requireEveryTrunkGroup } from '../caller-reach.ts';
import { findGrantedGroups, refuseIssuer, requireIssuerGrant } from '../grants/require-grant.ts';
import type { ManagementContext } from '../management-context.ts';
import { refuseInput } from '../read-input.ts';
import { findOwner, groupsOf, indexOwners } from './provider-reach.ts';

/**
 * Clients under a provider that was registered for trunk groups are only in these.
 *
 * @throws {InputError} if the trunk group is another.
 */
export async function checkProviderOpen(
  context: ManagementContext,
  provider: IdentityProvider,
  serviceTrunkGroup: string,
): Promise<void> {
  const groups = groupsOf(provider, await findOwner(context, provider));
  if (groups === undefined || groups.includes(serviceTrunkGroup)) return;
  refuseInput(
    'provider',
    provider.issuer,
    `a provider of the platform, or one of the service trunk group ${serviceTrunkGroup}`,
  );
}

/**
 * A restricted caller changes only a provider that is theirs, and no one else's.
 *
 * @throws {RefusedError} if it is not.
 */
export async function requireOwnProvider(
  context: ManagementContext,
  provider: IdentityProvider,
): Promise<ProviderOwner | undefined> {
  const owner = await findOwner(context, provider);
  const groups = groupsOf(provider, owner);
  if (groups === undefined) requireEveryTrunkGroup(context, 'A provider of the platform');
  const { trunkGroups: reach } = context;
  if (reach === undefined) return owner;
  const isOwn = groups?.every((group) => reach.includes(group)) === true && groups.length > 0;
  if (isOwn) return owner;
  throw new RefusedError(
    `the provider ${provider.issuer} also belongs to other service trunk groups; the platform's staff can change it`,
  );
}

/** A provider that was registered for some trunk groups. */
export interface OwnProvider extends Pick<IdentityProvider, 'issuer' | 'registrationId'> {
  readonly trunkGroups: readonly string[];
}

/** Every provider that belongs to trunk groups, by issuer. */
export async function listOwnProviders(
  context: ManagementContext,
): Promise<readonly OwnProvider[]> {
  const providers = await collect(context.identityProviders.listRegistrations());
  const owners = await indexOwners(context, providers);
  return providers
    .map(({ issuer, registrationId }) => ({
      issuer,
      registrationId,
      trunkGroups: owners.get(registrationId)?.trunkGroups ?? [],
    }))
    .filter(({ trunkGroups }) => trunkGroups.length > 0)
    .toSorted((a, b) => (a.issuer < b.issuer ? -1 : 1));
}

/** The registrations of each trunk group's own providers. */
export async function indexOwnProviders(
  context: ManagementContext,
): Promise<(serviceTrunkGroup: string) => readonly string[]> {
  const own = await listOwnProviders(context);
  const isOf = (group: string) => (one: OwnProvider) => one.trunkGroups.includes(group);
  return (group) => own.filter(isOf(group)).map(({ registrationId }) => registrationId);
}

function describeLimit(group: string, count: number, most: number): string {
  return most === 0
    ? `the service trunk group ${group} may register no identity provider; the platform's staff can allow it (own_providers)`
    : `the service trunk group ${group} has ${count} identity providers of its own; allowed: at most ${most}`;
}

/** This limit is 0 if it is left out, and not unlimited as the others. */
export function withOwnProviderLimit<T extends Limits>(limits: T): T & Limits {
  return { ...limits, ownProviders: limits.ownProviders ?? 0 };
}

/**
 * Registrations at the same moment do not see each other: a limit can be exceeded by as many as are
 * made at once, less one.
 *
 * @throws {RefusedError} if one of the trunk groups may not get another provider of its own.
 */
export async function checkRoomForProvider(
  context: ManagementContext,
  groups: readonly string[],
): Promise<void> {
  const limits = await Promise.all(groups.map((group) => context.trunkGroupLimits.find(group)));
  const none = limits.find(({ ownProviders = 0 }) => ownProviders === 0);
  if (none !== undefined) throw new RefusedError(describeLimit(none.serviceTrunkGroup, 0, 0));
  const providersOf = await indexOwnProviders(context);
  for (const { serviceTrunkGroup: group, ownProviders: most = 0 } of limits) {
    const count = providersOf(group).length;
    if (count >= most) throw new RefusedError(describeLimit(group, count, most));
  }
}

/** The trunk groups of a restricted caller that may have providers of their own at all. */
async function findAllowedGroups(
  { trunkGroupLimits }: ManagementContext,
  reach: readonly string[],
): Promise<readonly string[]> {
  const limits = await Promise.all(reach.map((group) => trunkGroupLimits.find(group)));
  const allowed = limits.filter(({ ownProviders = 0 }) => ownProviders > 0);
  if (allowed.length > 0) return allowed.map(({ serviceTrunkGroup }) => serviceTrunkGroup);
  throw new RefusedError(describeLimit(reach.join(', ') || 'none', 0, 0));
}

/** The trunk groups of a restricted caller that may register an issuer for themselves. */
async function findRegistrants(
  context: ManagementContext,
  reach: readonly string[],
  issuer: string,
): Promise<readonly string[]> {
  const allowed = await findAllowedGroups(context, reach);
  const granted = await findGrantedGroups(context, issuer, allowed);
  return granted.length > 0 ? granted : refuseIssuer(issuer, allowed);
}

/**
 * The trunk groups for which a discovery URL is looked at. A restricted caller
 * looks only at what one of them could register: the service fetches what a caller names.
 *
 * @returns none: for the whole platform.
 * @throws {RefusedError} if none may register a provider, or the issuer is granted to none.
 */
export async function findInspectors(
  context: ManagementContext,
  discoveryUrl: string,
): Promise<readonly string[]> {
  const { trunkGroups: reach } = context;
  if (reach === undefined) return [];
  return findRegistrants(context, reach, issuerOfDiscoveryUrl(discoveryUrl));
}

/**
 * The trunk groups that a new provider is for.
 *
 * @param trunkGroups left out: those of a restricted caller that may have one; otherwise the whole platform.
 * @returns none: the whole platform.
 * @throws {RefusedError} if one may not register another provider.
 */
export async function findNewOwners(
  context: ManagementContext,
  trunkGroups: readonly string[] | undefined,
  discoveryUrl: string,
): Promise<readonly string[]> {
  const { trunkGroups: reach } = context;
  if (reach === undefined) return [...new Set(trunkGroups)];
  const issuer = issuerOfDiscoveryUrl(discoveryUrl);
  const groups =
    trunkGroups === undefined
      ? await findRegistrants(context, reach, issuer)
      : [...new Set(trunkGroups)];
  await checkRoomForProvider(context, groups);
  await requireIssuerGrant(context, issuer, groups);
  return groups;
}
