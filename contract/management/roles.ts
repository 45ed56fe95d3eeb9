/**
 * The aliases of the management function. Each is a role: IAM decides who may invoke which alias,
 * and the function reads the role from the ARN that it was invoked by.
 *
 * - `client-operator`, `api-key-operator`, `provider-operator`: manage one kind of record.
 * - `auditor`: sees everything, the audit included, and changes nothing.
 * - `administrator`: every operation.
 * - `portal`: the only alias that may name a person. The person's role decides.
 */
export const managementAliases = [
  'client-operator',
  'api-key-operator',
  'provider-operator',
  'auditor',
  'administrator',
  'portal',
] as const;

export type ManagementAlias = (typeof managementAliases)[number];

/** Roles of a person behind a portal. Each includes the permissions of the previous one. */
export const personRoles = ['viewer', 'manager', 'administrator'] as const;

export type PersonRole = (typeof personRoles)[number];

export function hasRole(role: PersonRole, least: PersonRole): boolean {
  return personRoles.indexOf(role) >= personRoles.indexOf(least);
}
