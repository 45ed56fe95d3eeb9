import type { Reach } from '../../../contract/reach.ts';
import { CallerRefusedError } from '../../errors.ts';

const role = /^(arn:aws[a-z-]*):(?:iam|sts)::(\d{12}):(role|assumed-role)\/(.+)$/;

/**
 * The names by which a config can mean a caller, the most exact first: the role or user, then the
 * account. The session of a role has no path, so a role is compared by its name, which is unique in
 * its account. The name of a session is chosen by its caller, so it never counts.
 */
function namesOf(arn: string): readonly string[] {
  const [, partition, account = arn.split(':')[4] ?? '', kind, rest = ''] = role.exec(arn) ?? [];
  if (kind === undefined) return [arn, account];
  const parts = rest.split('/');
  const name = kind === 'assumed-role' ? parts[0] : parts.at(-1);
  return [`${partition}:iam::${account}:role/${name}`, account];
}

/** The name by which an entry is compared. */
function comparable(principal: string): string {
  return principal.startsWith('arn:') ? (namesOf(principal)[0] ?? principal) : principal;
}

/**
 * The limits of a caller. Its own role or user counts before its account.
 *
 * @param account of the deployment.
 * @returns undefined for a caller of that account without an entry: only its role decides.
 * @throws {CallerRefusedError} for a caller of another account without an entry.
 */
export function findReach(
  reach: readonly Reach[],
  arn: string,
  account: string,
): Reach | undefined {
  const names = namesOf(arn);
  for (const name of names) {
    const found = reach.find(({ principals }) => principals.map(comparable).includes(name));
    if (found !== undefined) return found;
  }
  if (names.at(-1) === account) return undefined;
  throw new CallerRefusedError(
    'access_denied',
    `received the signature of ${arn}; allowed: a caller of account ${account}, or one that management.reach of the deployment config names`,
  );
}
