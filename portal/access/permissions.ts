import type { OperationName } from '../../adapters/management.ts';
import {
  leastRole,
  managementOperations,
  operationOf,
} from '../../contract/management/operations.ts';
import { hasRole } from '../../contract/management/roles.ts';
import type { Person, Role } from './person.ts';

export const operationNames = Object.keys(managementOperations) as readonly OperationName[];

/** What an operation is allowed by: the role, and whether the person is limited to trunk groups. */
export type Access = Pick<Person, 'role' | 'trunkGroups'>;

/** The least role that may use an operation. */
export function neededRole({ trunkGroups }: Access, operation: OperationName): Role {
  return leastRole(operationOf(operation), trunkGroups !== undefined);
}

export function mayUse(person: Access, operation: OperationName): boolean {
  return hasRole(person.role, neededRole(person, operation));
}
