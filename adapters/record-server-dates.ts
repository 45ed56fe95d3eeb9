import type { Clock } from '../core/clock.ts';
import { CheckedClock } from '../core/server-date.ts';
import type { AwsClients } from './aws-clients.ts';
import type { RecordServerDate } from './dynamodb/dynamodb-calls.ts';

interface Answered {
  readonly response: unknown;
}

/**
 * Reports the `Date` of the response to one call (RFC 9110 §6.6.1).
 *
 * @param dateOf the header; empty if there is none.
 * @param elapsed milliseconds on a counter that only counts up.
 */
export async function recordServerDate<T>(
  send: () => Promise<T>,
  dateOf: (answer: T) => string,
  record: RecordServerDate,
  elapsed = () => performance.now(),
): Promise<T> {
  const sentAt = elapsed();
  const answer = await send();
  const serverTime = Date.parse(dateOf(answer));
  if (!Number.isNaN(serverTime)) record(serverTime, elapsed() - sentAt);
  return answer;
}

function dateOf({ response }: Answered): string {
  const { headers } = response as { readonly headers?: Readonly<Record<string, string>> };
  return headers?.['date'] ?? '';
}

/** Reports the dates of every response to the SDK's clients; see {@link recordServerDate}. */
export function recordServerDates(
  { dynamodb, kms }: Pick<AwsClients, 'dynamodb'> & Partial<AwsClients>,
  record: RecordServerDate,
  elapsed?: () => number,
): void {
  const options = { step: 'deserialize' } as const;
  const listen = <T extends Answered>(send: () => Promise<T>) =>
    recordServerDate(send, dateOf, record, elapsed);
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
