import { type Clock, seconds } from '../clock.ts';
import { ClockError } from '../errors.ts';
import { ServerDate } from '../server-date.ts';

/** AWS tells whole seconds, so a smaller difference cannot be seen. Milliseconds. */
const leastTolerance = 1000;

/**
 * A host's clock that can be read only while it agrees with the time on AWS's responses. It is
 * impossible to know which of two clocks is right, so nothing is corrected.
 */
export class CheckedClock {
  readonly #clock: Clock;
  readonly #serverDate: ServerDate;
  readonly #tolerance: number;

  /**
   * @param elapsed milliseconds on a counter that only counts up, also when the clock is set.
   * @param leeway L, in seconds: two clocks that are L/2 from AWS's are L apart.
   */
  constructor(clock: Clock, elapsed: () => number, leeway: number) {
    this.#clock = clock;
    this.#serverDate = new ServerDate(elapsed);
    this.#tolerance = Math.max(leastTolerance, (leeway * 1000) / 2);
  }

  /** Records the time of a response when it arrives from AWS. Values are milliseconds. */
  record(serverTime: number, latency: number): void {
    this.#serverDate.record(serverTime, latency);
  }

  /** Begins a run. The counter may have stopped since the last one. */
  begin(): void {
    this.#serverDate.forget();
  }

  /**
   * Seconds since the epoch.
   *
   * @throws {ClockError} if the clock and AWS differ, or AWS has not answered in this run.
   */
  now(): number {
    const bounds = this.#serverDate.bounds();
    if (bounds === undefined) {
      throw new ClockError('the clock cannot be checked: AWS has not responded in this run');
    }
    const { earliest, latest } = bounds;
    const time = this.#clock();
    const behind = earliest - this.#tolerance - time;
    const ahead = time - (latest + this.#tolerance);
    if (behind > 0 || ahead > 0) {
      const difference = Math.round(Math.abs(time - earliest) / 1000);
      throw new ClockError(
        `the clock of this function is ${difference} s ${behind > 0 ? 'behind' : 'ahead of'} the time that AWS says`,
      );
    }
    return seconds(time);
  }
}
