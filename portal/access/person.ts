import { type PersonRole, personRoles } from '../../contract/management/roles.ts';

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
