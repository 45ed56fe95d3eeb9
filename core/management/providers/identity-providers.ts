import type { OperationResult } from '../../../contract/management/operations.ts';
import { hasGivenKeys, versionOf } from '../../identity-provider/given-keys.ts';
import { collect } from '../../paging.ts';
import type { ManagementContext } from '../management-context.ts';
import { requireReachedTrunkGroup } from '../trunk-group-limits/limits-record.ts';
import {
  findOwner,
  isShown,
  type ManagedProvider,
  showOwner,
  showOwners,
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
 * {@link listProviders} and the limits of trunk groups in one request. The list of a limited caller
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
