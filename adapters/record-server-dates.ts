import type { KMSClient } from '@aws-sdk/client-kms';
import { CheckedClock } from '../core/server-date.ts';
import type { Clock } from '../core/time.ts';
import type { RecordServerDate } from './dynamodb/clients/dynamodb-calls.ts';

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

/** The part of the SDK's clients through which every response arrives. */
interface SdkClient {
  readonly middlewareStack: {
    add(
      middleware: <T extends Answered, R>(next: (request: R) => Promise<T>) => typeof next,
      options: { readonly step: 'deserialize' },
    ): void;
  };
}

/** Reports the dates of every response to a client of the SDK; see {@link recordServerDate}. */
export function recordServerDates({ middlewareStack }: SdkClient, record: RecordServerDate): void {
  middlewareStack.add(
    (next) => (request) => recordServerDate(() => next(request), dateOf, record),
    { step: 'deserialize' },
  );
}

/** What a run of a function reads the time from. */
export interface ClockOptions {
  /** The host's clock, which is checked against the times of AWS's answers. */
  readonly clock?: Clock;
  /** Seconds since the epoch, from a clock that needs no check; `clock` if left out. */
  readonly now?: () => number;
}

/**
 * A clock that the responses of KMS check, and those of a client that is opened with its `record`.
 *
 * @param leeway L, in seconds.
 */
export function createCheckedClock(
  leeway: number,
  kms: KMSClient,
  { clock = Date.now, now }: ClockOptions,
): Pick<CheckedClock, 'begin' | 'now'> & { readonly record: RecordServerDate } {
  if (now !== undefined) return { begin: () => {}, now, record: () => {} };
  const checked = new CheckedClock(clock, () => performance.now(), leeway);
  const record: RecordServerDate = checked.record.bind(checked);
  recordServerDates(kms, record);
  return { begin: () => checked.begin(), now: () => checked.now(), record };
}
