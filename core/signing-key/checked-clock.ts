import { type Clock, seconds } from '../clock.ts';
import { UnavailableError } from '../errors.ts';

/** A host's clock differs from the times that others say. */
export class ClockError extends UnavailableError {
  override readonly name = 'ClockError';
}

/** A time that AWS put on an answer, in whole seconds of the epoch. All values are milliseconds. */
interface HeardTime {
  readonly serverTime: number;
  /** From the request to the answer. */
  readonly latency: number;
  /** On a counter that no one sets. */
  readonly heardAt: number;
}

/** AWS tells whole seconds: the true time may be nearly a second later. Milliseconds. */
const resolution = 1000;

/**
 * A host's clock that is read only while it agrees with the time that AWS puts on its answers.
 * Which of two clocks is right cannot be known, so nothing is corrected.
 */
export class CheckedClock {
  readonly #clock: Clock;
  readonly #elapsed: () => number;
  readonly #tolerance: number;
  #heard: HeardTime | undefined;

  /**
   * @param elapsed milliseconds on a counter that only counts up, also when the clock is set.
   * @param leeway L, in seconds: two clocks that are L/2 from AWS's are L apart.
   */
  constructor(clock: Clock, elapsed: () => number, leeway: number) {
    this.#clock = clock;
    this.#elapsed = elapsed;
    this.#tolerance = Math.max(resolution, (leeway * 1000) / 2);
  }

  /** An answer of AWS has arrived. Values are milliseconds. */
  hear(serverTime: number, latency: number): void {
    this.#heard = { serverTime, latency, heardAt: this.#elapsed() };
  }

  /** Begins a run: the counter may have stopped since the last one. */
  begin(): void {
    this.#heard = undefined;
  }

  /**
   * Seconds since the epoch.
   *
   * @throws {ClockError} if the clock and AWS differ, or AWS has not answered in this run.
   */
  now(): number {
    if (this.#heard === undefined) {
      throw new ClockError('the clock cannot be checked: no answer of AWS has come in this run');
    }
    const { serverTime, latency, heardAt } = this.#heard;
    const earliest = serverTime + this.#elapsed() - heardAt;
    const time = this.#clock();
    const behind = earliest - this.#tolerance - time;
    const ahead = time - (earliest + resolution + latency + this.#tolerance);
    if (behind > 0 || ahead > 0) {
      const difference = Math.round(Math.abs(time - earliest) / 1000);
      throw new ClockError(
        `the clock of this function is ${difference} s ${behind > 0 ? 'behind' : 'ahead of'} the time that AWS says`,
      );
    }
    return seconds(time);
  }
}
