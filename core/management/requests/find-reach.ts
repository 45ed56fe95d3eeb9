import type { ManagementAlias } from '../../../contract/management/roles.ts';
import { namesOf, type Reach, type ReachConfig } from '../../../contract/reach.ts';
import { CallerRefusedError } from '../../errors.ts';

/** Who signed a request, and as what. */
export interface ReachingCaller {
  readonly alias: ManagementAlias;
  readonly arn: string;
  /** The deployment's AWS account. */
  readonly account: string;
}

/**
 * A limited person chooses which of its identities signs, so a config that limits some says what the
 * others may do. A portal is limited by `portalReach`.
 */
function isUnlimited({ reach, default: others }: ReachConfig, alias: ManagementAlias): boolean {
  return (
    alias === 'portal' || others === 'everything' || (reach.length === 0 && others === undefined)
  );
}

/**
 * The limits of a caller. Its own role or user counts before its account.
 *
 * @returns undefined for a caller of the deployment's account without an entry that may do what its
 *   alias allows.
 * @throws {CallerRefusedError} for every other caller without an entry.
 */
export function findReach(
  config: ReachConfig,
  { alias, arn, account }: ReachingCaller,
): Reach | undefined {
  const names = namesOf(arn);
  for (const name of names) {
    const found = config.reach.find(({ principals }) =>
      principals.some((principal) => namesOf(principal)[0] === name),
    );
    if (found !== undefined) return found;
  }
  const isOwn = names.at(-1) === account;
  if (isOwn && isUnlimited(config, alias)) return undefined;
  const allowed = isOwn
    ? 'a caller that management.reach of the deployment config names, because management.default is nothing'
    : `a caller of account ${account}, or one that management.reach of the deployment config names`;
  throw new CallerRefusedError(
    'access_denied',
    `received the signature of ${arn}; allowed: ${allowed}`,
  );
}
