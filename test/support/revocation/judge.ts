import { isEnabled } from '../../../core/stops.ts';
import type { Check, Outcome } from './checks.ts';
import type { ClientState, Records } from './records.ts';

/** All times are true times, in milliseconds. */
export interface IssuedToken {
  readonly value: string;
  readonly clientId: string;
  readonly issuedAt: number;
}

/** A call of revoke-tokens that succeeded. */
interface Revocation {
  readonly startedAt: number;
  readonly completedAt: number;
}

/** What operators did to one client. */
export interface ClientHistory {
  readonly creations: number[];
  readonly revocations: Revocation[];
}

/**
 * By these a creation may miss: an older token is refused if it is older than the first, and a
 * newer one accepted if it is newer than the second. `iat` and `Date` have whole seconds.
 */
const creationMargins = { older: 3000, newer: 1400 } as const;

/** Whether a check that sees this state may accept the token, and whether it must. */
function allows(state: ClientState, token: IssuedToken, { creations, revocations }: ClientHistory) {
  const { at, client } = state;
  if (client === undefined || !isEnabled(client)) return { may: false, must: false };
  const creation = creations.findLast((time) => time <= at) ?? 0;
  const known = revocations.filter(({ completedAt }) => completedAt <= at);
  const isOld =
    token.issuedAt < creation - creationMargins.older ||
    known.some(({ startedAt }) => token.issuedAt <= startedAt);
  const isNew =
    token.issuedAt >= creation + creationMargins.newer &&
    known.every(({ completedAt }) => token.issuedAt >= completedAt);
  return { may: !isOld, must: isNew };
}

/** What is wrong with an outcome; undefined if it keeps the promise. */
export function findViolation(
  outcome: Outcome,
  {
    token,
    check,
    now,
  }: { readonly token: IssuedToken; readonly check: Check; readonly now: number },
  records: Records,
  history: ClientHistory,
): string | undefined {
  const { region, cacheSeconds, onLookupFailure } = check;
  if (outcome === 'accepted_without_lookup' || outcome === 'unavailable') {
    const choice = outcome === 'unavailable' ? 'refuse' : 'accept';
    return region.isDown && onLookupFailure === choice ? undefined : `${outcome} without an outage`;
  }
  // A record is at most as old as the cache lets it be, and the replica was behind then.
  const to = now - region.lag;
  const states = records.seenBetween(token.clientId, to - cacheSeconds * 1000, to);
  const allowed = states.map((state) => allows(state, token, history));
  if (outcome === 'accepted' && !allowed.some(({ may }) => may)) {
    return 'accepted after the bound';
  }
  if (outcome === 'refused' && allowed.every(({ must }) => must)) return 'refused without a reason';
  return undefined;
}
