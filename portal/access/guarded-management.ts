import type { Management, OperationName } from '../../adapters/management.ts';
import { type Access, mayUse, neededRole, operationNames } from './permissions.ts';
import type { Person, Role } from './person.ts';

/** The user is known, but the user's role does not allow the operation. */
export class ForbiddenError extends Error {
  override readonly name = 'ForbiddenError';
  readonly needed: Role;

  constructor(operation: OperationName, person: Access) {
    const needed = neededRole(person, operation);
    super(`${operation} needs the role ${needed}; received ${person.role}`);
    this.needed = needed;
  }
}

/** What pages receive: only the operations, so they cannot bypass a limit. */
export type PortalManagement = Omit<Management, 'forCaller'>;

/**
 * The management with the permissions of one user. Roles are checked here and trunk groups in the
 * library. Both are below the pages: even a page that shows too much cannot do too much.
 */
export function guardManagement(management: Management, person: Person): PortalManagement {
  const { actor, trunkGroups, role } = person;
  const limited = management.forCaller({ actor, role, trunkGroups });
  const operations = operationNames.map((name) => [
    name,
    async (...args: readonly unknown[]) => {
      if (!mayUse(person, name)) throw new ForbiddenError(name, person);
      return (limited[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
    },
  ]);
  return Object.freeze(Object.fromEntries(operations)) as PortalManagement;
}

/** What the portal knows of its deployment. */
export type Deployment = Awaited<ReturnType<PortalManagement['describeDeployment']>>;
