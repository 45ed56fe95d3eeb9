import type { IdentityProvider } from '../../adapters/management.ts';
import type { RequestContext } from '../request-context.ts';

/**
 * The trunk groups for which the user may register providers.
 *
 * @returns undefined if every provider of the user is the platform's.
 */
export async function findProviderGroups({
  person: { trunkGroups },
  limitsOf,
}: Pick<RequestContext, 'person' | 'limitsOf'>): Promise<readonly string[] | undefined> {
  if (trunkGroups === undefined) return undefined;
  const limits = await Promise.all(trunkGroups.map(limitsOf));
  return trunkGroups.filter((_, index) => (limits[index]?.ownProviders ?? 0) > 0);
}

/** Whether the user may register a provider at all. */
export async function mayRegister(
  context: Pick<RequestContext, 'person' | 'limitsOf' | 'may'>,
): Promise<boolean> {
  if (!context.may('registerProvider')) return false;
  const groups = await findProviderGroups(context);
  return groups === undefined || groups.length > 0;
}

/** Whether the user may change the provider: the platform's staff may, and all of its owners. */
export function mayChange(
  { person, may }: Pick<RequestContext, 'person' | 'may'>,
  { owner }: Pick<IdentityProvider, 'owner'>,
): boolean {
  if (!may('deleteProvider')) return false;
  if (person.trunkGroups === undefined) return true;
  return owner !== undefined && owner.trunkGroups.length > 0 && owner.others !== true;
}

/** Whether clients under a provider need a grant of the platform's staff. */
export function needsGrants(
  { person }: Pick<RequestContext, 'person'>,
  { owner }: Pick<IdentityProvider, 'owner'>,
): boolean {
  if (owner === undefined || owner.trunkGroups.length === 0 || owner.others === true) return true;
  return person.trunkGroups === undefined && owner.trunkGroups.length > 1;
}
