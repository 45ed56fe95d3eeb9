import { InputError } from '../../adapters/management.ts';
import type { Limits } from '../../core/trunk-group/trunk-group-limits.ts';
import { isDenied } from '../forms/problems.ts';
import type { Deployment, Person, PortalManagement } from './guarded-management.ts';

interface RequestFacts {
  readonly management: PortalManagement;
  readonly person: Person;
  readonly deployment: Pick<Deployment, 'reach'>;
}

/** Without the management function, only the role says who belongs to the staff. */
function isStaff({ person, deployment: { reach } }: RequestFacts): boolean {
  if (reach !== undefined) return !reach.hasTrunkGroupLimits;
  return person.role === 'administrator' && person.trunkGroups === undefined;
}

/** A form with an invalid trunk group says so. One that is out of reach does not exist. */
function isUnknown(error: unknown): boolean {
  return isDenied(error) || error instanceof InputError;
}

/**
 * The limits of a trunk group, for forms that offer only what can be given. Management enforces
 * them; a form that does not know them is refused when it is sent.
 */
async function findLimits(request: RequestFacts, trunkGroup: string): Promise<Limits> {
  const { management, deployment } = request;
  const ofConfig: Limits = deployment.reach?.limits ?? {};
  if (isStaff(request) || trunkGroup === '') return ofConfig;
  try {
    return await management.findTrunkGroupLimits(trunkGroup);
  } catch (error) {
    if (isUnknown(error)) return ofConfig;
    throw error;
  }
}

/** What one request asks about providers and limits. */
export type Offer = Readonly<ReturnType<typeof rememberOffer>>;

type Providers = ReturnType<PortalManagement['listProviders']>;

/** The offer of one request, which reads the providers and the limits of each trunk group once. */
export function rememberOffer(request: RequestFacts) {
  const { management } = request;
  const found = new Map<string, Promise<Limits>>();
  /** What the user may give in a trunk group, for forms. */
  const limitsOf = (trunkGroup: string): Promise<Limits> => {
    const known = found.get(trunkGroup) ?? findLimits(request, trunkGroup);
    found.set(trunkGroup, known);
    return known;
  };
  const listed = new Map<string, Providers>();
  const readProviders = async (groups: readonly string[]): Providers => {
    if (isStaff(request) || groups.length === 0) return management.listProviders();
    try {
      const { providers, limits } = await management.listProvidersWithLimits(groups);
      for (const [index, one] of limits.entries()) {
        found.set(groups[index] ?? '', Promise.resolve(one));
      }
      return providers;
    } catch (error) {
      if (isUnknown(error)) return management.listProviders();
      throw error;
    }
  };
  /**
   * The registered providers, for a page that also needs the limits of these trunk groups.
   * Management then reads the limits once for both.
   */
  const listProviders = (trunkGroups: readonly string[]): Providers => {
    const groups = trunkGroups.filter((group) => group !== '');
    const known = listed.get(groups.join(' ')) ?? readProviders(groups);
    listed.set(groups.join(' '), known);
    return known;
  };
  return { limitsOf, listProviders };
}

/** The scopes that a form offers: those that can be given, and those that the client has. */
export function offeredScopes<T extends { readonly scope: string }>(
  scopes: readonly T[],
  { scopes: limits }: Limits,
  present: readonly string[],
): readonly T[] {
  return scopes.filter(
    ({ scope }) => limits === undefined || limits.includes(scope) || present.includes(scope),
  );
}
