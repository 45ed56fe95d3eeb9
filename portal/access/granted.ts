import { InputError, type Management } from '../../adapters/management.ts';
import type { DeploymentDescription } from '../../core/management/describe-deployment.ts';
import { isDenied } from '../forms/problems.ts';
import type { PortalManagement } from './guarded-management.ts';
import type { Person } from './person.ts';

/** What a person may give in one trunk group. A limit that is undefined does not exist. */
export type Granted = Pick<
  Awaited<ReturnType<Management['findTrunkGroupLimits']>>,
  | 'scopes'
  | 'maxTokenLifetime'
  | 'maxSecretLifetime'
  | 'maxClients'
  | 'maxApiKeys'
  | 'requireSubnet'
  | 'providers'
  | 'ownProviders'
>;

interface Asked {
  readonly management: PortalManagement;
  readonly person: Person;
  readonly deployment: Pick<DeploymentDescription, 'reach'>;
}

/** Without the management function, only the role says who belongs to the staff. */
function isStaff({ person, deployment: { reach } }: Asked): boolean {
  if (reach !== undefined) return !reach.hasTrunkGroupLimits;
  return person.role === 'administrator' && person.trunkGroups === undefined;
}

/**
 * The limits of a trunk group, for forms that offer only what can be granted. Management enforces
 * them; a form that does not know them is refused when it is sent.
 */
async function findGranted(asked: Asked, trunkGroup: string): Promise<Granted> {
  const { management, deployment } = asked;
  const ofConfig: Granted = deployment.reach?.limits ?? {};
  if (isStaff(asked) || trunkGroup === '') return ofConfig;
  try {
    return await management.findTrunkGroupLimits(trunkGroup);
  } catch (error) {
    // A form with an invalid trunk group says so. One that is out of reach does not exist.
    if (isDenied(error) || error instanceof InputError) return ofConfig;
    throw error;
  }
}

/** {@link findGranted} for one request, which reads each group once. */
export function rememberGranted(asked: Asked): (trunkGroup: string) => Promise<Granted> {
  const found = new Map<string, Promise<Granted>>();
  return (trunkGroup) => {
    const granted = found.get(trunkGroup) ?? findGranted(asked, trunkGroup);
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
