import type { Management, OperationName } from '../../adapters/management.ts';
import {
  leastRole,
  managementOperations,
  operationOf,
} from '../../contract/management/operations.ts';
import { hasRole, type PersonRole, personRoles } from '../../contract/management/roles.ts';

/** Roles. Each role includes the permissions of the previous one. */
export const roles = personRoles;

/** What a user of the portal may do. Each role includes the permissions of the one before. */
export type Role = PersonRole;

/** A user of the portal, as the function `identify` returns it. */
export interface Person {
  /** Shown on every page. */
  readonly name: string;
  readonly role: Role;
  /** The service trunk groups that the user can access. By default, every group. */
  readonly trunkGroups?: readonly string[] | undefined;
  /**
   * The actor of changes in the audit, e.g. the issuer and the subject of the login. The default is
   * the AWS caller.
   */
  readonly actor?: (() => Promise<string>) | undefined;
}

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

/** What pages receive: only the operations, so they cannot go beyond the reach. */
export type PortalManagement = Omit<Management, 'forCaller'>;

/**
 * The management with the permissions of one user, whose name changes record. Roles are checked here
 * and trunk groups in the library. Both are below the pages: even a page that shows too much cannot do
 * too much.
 */
export function guardManagement(management: Management, person: Person): PortalManagement {
  const { actor, trunkGroups, role, name } = person;
  const inReach = management.forCaller({ actor, role, name, trunkGroups });
  const operations = operationNames.map((name) => [
    name,
    async (...args: readonly unknown[]) => {
      if (!mayUse(person, name)) throw new ForbiddenError(name, person);
      return (inReach[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
    },
  ]);
  return Object.freeze(Object.fromEntries(operations)) as PortalManagement;
}

/** What the portal knows of its deployment. */
export type Deployment = Awaited<ReturnType<PortalManagement['describeDeployment']>>;

export const operationNames = Object.keys(managementOperations) as readonly OperationName[];

/** What an operation is allowed by: the role, and whether the person is restricted to trunk groups. */
type Access = Pick<Person, 'role' | 'trunkGroups'>;

/** The least role that may use an operation. */
function neededRole({ trunkGroups }: Access, operation: OperationName): Role {
  return leastRole(operationOf(operation), trunkGroups !== undefined);
}

export function mayUse(person: Access, operation: OperationName): boolean {
  return hasRole(person.role, neededRole(person, operation));
}
