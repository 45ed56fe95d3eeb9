import type * as v from 'valibot';
import type { registeredProvider } from '../../../contract/management/results.ts';
import type { ClientProvider } from '../../client/client.ts';
import { hasGivenKeys } from '../../identity-provider/given-keys.ts';
import {
  hasOwner,
  type IdentityProvider,
  type IdentityProviderStore,
  type ProviderOwner,
} from '../../identity-provider/identity-provider.ts';
import { collect } from '../../paging.ts';
import { viewStops } from '../../stops.ts';
import { formatTime } from '../../time.ts';
import type { Limits } from '../../trunk-group/trunk-group-limits.ts';
import type { ManagementContext } from '../management-context.ts';

/** A registered provider as management shows it. */
export type ManagedProvider = IdentityProvider &
  Pick<v.InferOutput<typeof registeredProvider>['provider'], 'owner' | 'givenKeys'>;

/** A registered provider as it is shown, with the names of OpenID Connect Discovery 1.0 §3. */
export function viewIdentityProvider(provider: ManagedProvider): Record<string, unknown> {
  return {
    issuer: provider.issuer,
    registration_id: provider.registrationId,
    ...(hasGivenKeys(provider)
      ? {
          keys_version: provider.givenKeys?.version ?? 0,
          keys_updated_at: provider.givenKeys && formatTime(provider.givenKeys.updatedAt),
        }
      : { discovery_url: provider.discoveryUrl, jwks_uri: provider.jwksUri }),
    allowed_algorithms: provider.allowedAlgorithms,
    client_id_claim: provider.clientIdClaim,
    audience_from: provider.audienceFrom,
    client_patterns: provider.clientPatterns,
    leeway: provider.leeway,
    stops: viewStops(provider.stops),
    registered_at: formatTime(provider.registeredAt),
    service_trunk_groups: provider.owner?.trunkGroups,
    owner_version: provider.owner?.version,
  };
}

type Owners = Pick<ManagementContext, 'providerOwners'>;

export async function findOwner(
  { providerOwners }: Owners,
  provider: IdentityProvider,
): Promise<ProviderOwner | undefined> {
  return hasOwner(provider) ? providerOwners.find(provider.registrationId) : undefined;
}

/** The owners of these providers, by registration. Nothing else is read. */
export function indexOwners(
  { providerOwners }: Owners,
  providers: readonly IdentityProvider[],
): Promise<ReadonlyMap<string, ProviderOwner>> {
  return providerOwners.findEach(
    providers.filter(hasOwner).map(({ registrationId }) => registrationId),
  );
}

/** The trunk groups that a provider is for; undefined: every one, within its limits. */
export function groupsOf(
  provider: IdentityProvider,
  owner: ProviderOwner | undefined,
): readonly string[] | undefined {
  if (!hasOwner(provider)) return undefined;
  if (owner === undefined) return [];
  return owner.trunkGroups.length === 0 ? undefined : owner.trunkGroups;
}

/**
 * Whether the limits open a provider of the platform to one of the caller's trunk groups. They are
 * read once. If no limits are enforced, each is open.
 */
function openByLimits(
  { callerLimits, trunkGroupLimits }: ManagementContext,
  reach: readonly string[],
): (issuer: string) => Promise<boolean> {
  if (callerLimits?.hasTrunkGroupLimits !== true) return async () => true;
  let reading: Promise<readonly Limits[]> | undefined;
  return async (issuer) => {
    reading ??= Promise.all(reach.map((group) => trunkGroupLimits.find(group)));
    return (await reading).some(({ providers }) => providers?.includes(issuer) !== false);
  };
}

/** Whether the owner was read with the provider, if it has one. */
export function isShown(provider: IdentityProvider): boolean {
  return !hasOwner(provider) || 'owner' in provider;
}

/** Providers with what the caller may see of their owners. Those of a restricted caller have it. */
export async function showOwners(
  context: Pick<ManagementContext, 'providerOwners' | 'trunkGroups'>,
  providers: readonly IdentityProvider[],
): Promise<readonly ManagedProvider[]> {
  const owners = await indexOwners(
    context,
    providers.filter((one) => !isShown(one)),
  );
  return providers.map((one) =>
    isShown(one) ? one : showOwner(context, one, owners.get(one.registrationId)),
  );
}

/** A provider with what the caller may see of its owner. */
export function showOwner(
  { trunkGroups: reach }: Pick<ManagementContext, 'trunkGroups'>,
  provider: IdentityProvider,
  owner: ProviderOwner | undefined,
): ManagedProvider {
  if (!hasOwner(provider)) return provider;
  const { trunkGroups = [], version = 0 } = owner ?? {};
  const seen = trunkGroups.filter((group) => reach?.includes(group) !== false);
  const others = seen.length < trunkGroups.length ? ({ others: true } as const) : {};
  return { ...provider, owner: { trunkGroups: seen, ...others, version } };
}

/**
 * Providers of other trunk groups do not exist, and neither do those of the platform that the limits
 * open to none of the caller's. Those that are found have their owners ({@link ManagedProvider}).
 *
 * @param reach the trunk groups of the caller.
 */
export function restrictProviders(
  context: ManagementContext,
  reach: readonly string[],
): IdentityProviderStore {
  const { identityProviders: store, providerOwners } = context;
  const isOpen = openByLimits(context, reach);
  const isInReach = async (provider: IdentityProvider, owner: ProviderOwner | undefined) => {
    const groups = groupsOf(provider, owner);
    return groups === undefined
      ? isOpen(provider.issuer)
      : groups.some((one) => reach.includes(one));
  };
  return {
    ...store,
    findIdentityProvider: async (issuer, options) => {
      const provider = await store.findIdentityProvider(issuer, options);
      if (provider === undefined) return undefined;
      const owner = await findOwner({ providerOwners }, provider);
      if (!(await isInReach(provider, owner))) return undefined;
      return showOwner({ trunkGroups: reach }, provider, owner);
    },
    async *listIdentityProviders() {
      const providers = await collect(store.listIdentityProviders());
      const owners = await indexOwners({ providerOwners }, providers);
      for (const provider of providers) {
        const owner = owners.get(provider.registrationId);
        if (!(await isInReach(provider, owner))) continue;
        yield showOwner({ trunkGroups: reach }, provider, owner);
      }
    },
  };
}

/** Whether a client's provider is one of the trunk group's own. */
export async function isOwnProvider(
  { providerOwners }: Owners,
  { registrationId }: ClientProvider,
  serviceTrunkGroup: string,
): Promise<boolean> {
  const owner = await providerOwners.find(registrationId);
  return owner?.trunkGroups.includes(serviceTrunkGroup) === true;
}
