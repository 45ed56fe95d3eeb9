import { type Clock, seconds } from '../clock.ts';
import { UnavailableError } from '../errors.ts';

/** A host's clock differs from the times that others say. */
export class ClockError extends UnavailableError {
  override readonly name = 'ClockError';
}

/** The time on a response of AWS, in whole seconds of the epoch. All values are milliseconds. */
interface HeardTime {
  readonly serverTime: number;
  /** From the request to the response. */
  readonly latency: number;
  /** On a monotonic counter. */
  readonly heardAt: number;
}

/** AWS tells whole seconds: the true time may be nearly a second later. Milliseconds. */
const resolution = 1000;

/**
 * A host's clock that can be read only while it agrees with the time on AWS's responses. It is
 * impossible to know which of two clocks is right, so nothing is corrected.
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

  /** Records the time of a response when it arrives from AWS. Values are milliseconds. */
  hear(serverTime: number, latency: number): void {
    this.#heard = { serverTime, latency, heardAt: this.#elapsed() };
  }

  /** Begins a run. The counter may have stopped since the last one. */
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
      throw new ClockError('the clock cannot be checked: AWS has not responded in this run');
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
