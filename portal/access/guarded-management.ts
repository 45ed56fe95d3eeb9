import type { Management, OperationName } from '../../adapters/management.ts';
import { leastRoles, mayUse } from './permissions.ts';
import type { Person, Role } from './person.ts';

/** The user is known, but the user's role does not allow the operation. */
export class ForbiddenError extends Error {
  override readonly name = 'ForbiddenError';
  readonly needed: Role;

  constructor(operation: OperationName, role: Role) {
    super(`${operation} needs the role ${leastRoles[operation]}; received ${role}`);
    this.needed = leastRoles[operation];
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
  const operations = (Object.keys(leastRoles) as OperationName[]).map((name) => [
    name,
    async (...args: readonly unknown[]) => {
      if (!mayUse(role, name)) throw new ForbiddenError(name, role);
      return (limited[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
    },
  ]);
  return Object.freeze(Object.fromEntries(operations)) as PortalManagement;
}
