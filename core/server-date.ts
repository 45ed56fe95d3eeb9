import { ClockError } from './errors.ts';
import { type Clock, seconds } from './time.ts';

/** The time of another host lies between the two, in milliseconds since the epoch. */
export interface TimeBounds {
  readonly earliest: number;
  readonly latest: number;
}

/** HTTP dates are whole seconds (RFC 9110 §5.6.7): the true time may be nearly a second later. */
const resolution = 1000;

/** All values are milliseconds. */
interface RecordedDate {
  readonly serverTime: number;
  /** From the request to the response. */
  readonly latency: number;
  /** On the counter. */
  readonly recordedAt: number;
}

/** The time of the last `Date` header of AWS (RFC 9110 §6.6.1), carried on by a counter. */
export class ServerDate {
  readonly #elapsed: () => number;
  #last: RecordedDate | undefined;

  /** @param elapsed milliseconds on a counter that only counts up, also when the clock is set. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Records the time of a response when it arrives. Values are milliseconds. */
  record(serverTime: number, latency: number): void {
    this.#last = { serverTime, latency, recordedAt: this.#elapsed() };
  }

  forget(): void {
    this.#last = undefined;
  }

  /** The present time there; undefined before the first response. */
  bounds(): TimeBounds | undefined {
    if (this.#last === undefined) return undefined;
    const { serverTime, latency, recordedAt } = this.#last;
    const earliest = serverTime + this.#elapsed() - recordedAt;
    return { earliest, latest: earliest + resolution + latency };
  }
}

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
