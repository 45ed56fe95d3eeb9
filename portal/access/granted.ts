import type { Management } from '../../adapters/management.ts';
import { isDenied } from '../forms/problems.ts';
import type { PortalManagement } from './guarded-management.ts';
import type { Person } from './person.ts';

/** What a person may give in one trunk group. A limit that is undefined does not exist. */
export type Granted = Pick<
  Awaited<ReturnType<Management['findTrunkGroupLimits']>>,
  | 'scopes'
  | 'maxTokenLifetime'
  | 'maxSecretLifetime'
  | 'maxApiKeys'
  | 'requireSubnet'
  | 'providers'
  | 'ownProviders'
>;

const unlimited: Granted = {};

/**
 * The limits of a trunk group, for forms that offer only what can be granted. Management enforces
 * them; a form that does not know them is refused when it is sent.
 */
async function findGranted(
  management: PortalManagement,
  person: Person,
  trunkGroup: string,
): Promise<Granted> {
  const isStaff = person.role === 'administrator' && person.trunkGroups === undefined;
  if (isStaff || trunkGroup === '') return unlimited;
  try {
    return await management.findTrunkGroupLimits(trunkGroup);
  } catch (error) {
    if (isDenied(error)) return unlimited;
    throw error;
  }
}

/** {@link findGranted} for one request, which reads each group once. */
export function rememberGranted(
  management: PortalManagement,
  person: Person,
): (trunkGroup: string) => Promise<Granted> {
  const found = new Map<string, Promise<Granted>>();
  return (trunkGroup) => {
    const granted = found.get(trunkGroup) ?? findGranted(management, person, trunkGroup);
    found.set(trunkGroup, granted);
    return granted;
  };
}

/** The scopes that a form offers: those that can be granted, and those that the client has. */
export function offeredScopes<T extends { readonly scope: string }>(
  scopes: readonly T[],
  { scopes: granted }: Granted,
  present: readonly string[],
): readonly T[] {
  return scopes.filter(
    ({ scope }) => granted === undefined || granted.includes(scope) || present.includes(scope),
  );
}
