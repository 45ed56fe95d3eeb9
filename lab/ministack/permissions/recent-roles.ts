import { ResourceNotFoundException } from '@aws-sdk/client-lambda';
import type { Role } from '../../emulator/iam/principals.ts';

/** Milliseconds. The emulator takes as long to return one role as to handle several calls. */
const maxAge = 1000;

/** Roles of functions, each read once a second at most. On AWS, changes of IAM take longer. */
export class RecentRoles {
  readonly #readRole: (functionArn: string) => Promise<Role>;
  readonly #clock: () => number;
  readonly #roles = new Map<string, { readonly role: Promise<Role>; readonly at: number }>();

  constructor(readRole: (functionArn: string) => Promise<Role>, clock: () => number) {
    this.#readRole = readRole;
    this.#clock = clock;
  }

  recall(functionArn: string): Promise<Role> {
    const known = this.#roles.get(functionArn);
    return known !== undefined && this.#clock() - known.at < maxAge
      ? known.role
      : this.read(functionArn);
  }

  /**
   * Reads the role now. A process keeps its role for as long as it runs, also after its version was
   * removed.
   */
  read(functionArn: string): Promise<Role> {
    const before = this.#roles.get(functionArn)?.role;
    const role = this.#readRole(functionArn).catch((error: unknown) => {
      if (before === undefined || !(error instanceof ResourceNotFoundException)) throw error;
      return before;
    });
    this.#roles.set(functionArn, { role, at: this.#clock() });
    return role;
  }
}
