import type { HistoryFilter, HistoryPage } from '../management/list-changes.ts';
import { isFirstVersion } from '../record-version.ts';
import { formatDay } from '../time.ts';
import type { Client } from './client.ts';

type ListHistory = (id: string, filter: HistoryFilter) => Promise<HistoryPage>;

/** Seconds by which the clock of the operator's machine, which dates a change, may be wrong. */
const operatorClockAllowance = 300;

/** The seconds since a change say nothing when people read them. */
function roundUp(seconds: number): number {
  const unit = seconds > 3600 ? 3600 : 60;
  return Math.ceil(seconds / unit) * unit;
}

/** @returns the changes since a day; undefined if not all can be read. */
async function readChanges(listHistory: ListHistory, clientId: string, since: string) {
  try {
    const { items, unread, nextCursor } = await listHistory(clientId, { since });
    return unread.length === 0 && nextCursor === undefined ? items : undefined;
  } catch {
    // The audit never holds up a person who stops a client.
    return undefined;
  }
}

/**
 * The longest that a token of a client can still be valid: seconds in whole minutes or hours. A
 * lowered lifetime is that of new tokens only: the audit has the one before. If the audit cannot be
 * read, a client that was changed can have tokens with any lifetime that the deployment allows.
 *
 * @param maximum the longest lifetime that the deployment allows.
 */
export async function findLongestToken(
  { listHistory }: { readonly listHistory: ListHistory },
  client: Pick<Client, 'clientId' | 'tokenLifetime' | 'version' | 'updatedAt'>,
  maximum: number,
  now: number,
): Promise<number> {
  const { clientId, tokenLifetime, version, updatedAt } = client;
  /** What is left of a token that was issued before a change. */
  const left = (lifetime: number, changedAt: number) =>
    Math.min(changedAt + lifetime + operatorClockAllowance - now, lifetime);
  const most = isFirstVersion(version) ? 0 : left(maximum, updatedAt);
  if (most <= tokenLifetime) return roundUp(tokenLifetime);
  const since = formatDay(now - maximum - operatorClockAllowance);
  const changes = await readChanges(listHistory, clientId, since);
  if (changes === undefined) return roundUp(most);
  const earlier = changes.map(({ before, time }) => {
    const lifetime = before?.['token_lifetime'];
    return typeof lifetime === 'number' ? left(lifetime, Date.parse(time) / 1000) : 0;
  });
  return roundUp(Math.max(tokenLifetime, ...earlier));
}
