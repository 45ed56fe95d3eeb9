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

  /** Reads the role now. */
  read(functionArn: string): Promise<Role> {
    const role = this.#readRole(functionArn);
    this.#roles.set(functionArn, { role, at: this.#clock() });
    return role;
  }
}
