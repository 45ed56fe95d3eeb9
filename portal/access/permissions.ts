import type { OperationName } from '../../adapters/management.ts';
import { managementOperations } from '../../contract/management/operations.ts';
import { type Role, roles } from './person.ts';

/** The least role that may use an operation. */
export const leastRoles = Object.fromEntries(
  Object.entries(managementOperations).map(([name, { person }]) => [name, person]),
) as Readonly<Record<OperationName, Role>>;

export function mayUse(role: Role, operation: OperationName): boolean {
  return roles.indexOf(role) >= roles.indexOf(leastRoles[operation]);
}
