import type { AwsClients } from '../../adapters/aws-clients.ts';
import { recordServerDates } from '../../adapters/record-server-dates.ts';
import type { Clock } from '../../core/clock.ts';
import { CheckedClock } from '../../core/key-rotation/checked-clock.ts';

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
