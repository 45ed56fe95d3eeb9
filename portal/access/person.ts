/** What a person may do. Each role may do what the one before it may. */
export const roles = ['viewer', 'operator', 'administrator'] as const;

export type Role = (typeof roles)[number];

/** Who uses the portal, as the function that identifies a request says. */
export interface Person {
  /** Shown on every page. */
  readonly name: string;
  readonly role: Role;
  /** The service trunk groups that are within reach; every group if left out. */
  readonly trunkGroups?: readonly string[] | undefined;
  /**
   * Who the audit says made a change, e.g. the issuer and the subject of the login. If left out,
   * the management library says it: the AWS caller.
   */
  readonly actor?: (() => Promise<string>) | undefined;
}
