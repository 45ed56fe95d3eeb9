import type { Management, OperationName } from '../../adapters/management.ts';
import { leastRoles, mayUse } from './permissions.ts';
import type { Person, Role } from './person.ts';

/** The person is known, and the person's role does not allow the operation. */
export class ForbiddenError extends Error {
  override readonly name = 'ForbiddenError';
  readonly needed: Role;

  constructor(operation: OperationName, role: Role) {
    super(`${operation} needs the role ${leastRoles[operation]}; received ${role}`);
    this.needed = leastRoles[operation];
  }
}

/** What pages are given: the operations and nothing to get around a limit with. */
export type PortalManagement = Omit<Management, 'forCaller'>;

/**
 * The management as one person may use it. Roles are checked here and trunk groups in the
 * library, below every page, so that a page that shows too much still cannot do too much.
 */
export function guardManagement(management: Management, person: Person): PortalManagement {
  const { actor, trunkGroups, role } = person;
  const limited = management.forCaller({ actor, trunkGroups });
  const operations = (Object.keys(leastRoles) as OperationName[]).map((name) => [
    name,
    async (...args: readonly unknown[]) => {
      if (!mayUse(role, name)) throw new ForbiddenError(name, role);
      return (limited[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
    },
  ]);
  return Object.freeze(Object.fromEntries(operations)) as PortalManagement;
}
