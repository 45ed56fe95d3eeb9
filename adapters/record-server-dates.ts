import type { Clock } from '../core/clock.ts';
import { CheckedClock } from '../core/server-date.ts';
import type { AwsClients } from './aws-clients.ts';
import type { RecordServerDate } from './dynamodb/dynamodb-calls.ts';

interface Answered {
  readonly response: unknown;
}

function dateOf({ response }: Answered): number {
  const { headers } = response as { readonly headers?: Readonly<Record<string, string>> };
  return Date.parse(headers?.['date'] ?? '');
}

/**
 * Reports the `Date` of every response to the clients (RFC 9110 §6.6.1).
 *
 * @param elapsed milliseconds on a counter that only counts up.
 */
export function recordServerDates(
  { dynamodb, kms }: Pick<AwsClients, 'dynamodb'> & Partial<AwsClients>,
  record: RecordServerDate,
  elapsed: () => number,
): void {
  const options = { step: 'deserialize' } as const;
  async function listen<T extends Answered>(send: () => Promise<T>): Promise<T> {
    const sentAt = elapsed();
    const answer = await send();
    const serverTime = dateOf(answer);
    if (!Number.isNaN(serverTime)) record(serverTime, elapsed() - sentAt);
    return answer;
  }
  dynamodb.middlewareStack.add((next) => (request) => listen(() => next(request)), options);
  kms?.middlewareStack.add((next) => (request) => listen(() => next(request)), options);
}

/** What a run of a function reads the time from. */
export interface ClockOptions {
  /** The host's clock, which is checked against the times of AWS's answers. */
  readonly clock?: Clock;
  /** Seconds since the epoch, from a clock that needs no check; `clock` if left out. */
  readonly now?: () => number;
}

/** @param leeway L, in seconds. */
export function createCheckedClock(
  leeway: number,
  aws: AwsClients,
  { clock = Date.now, now }: ClockOptions,
): Pick<CheckedClock, 'begin' | 'now'> {
  if (now !== undefined) return { begin: () => {}, now };
  const elapsed = () => performance.now();
  const checked = new CheckedClock(clock, elapsed, leeway);
  recordServerDates(aws, checked.record.bind(checked), elapsed);
  return { begin: () => checked.begin(), now: () => checked.now() };
}
