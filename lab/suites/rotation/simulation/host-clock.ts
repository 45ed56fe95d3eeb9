import type { VirtualTime } from './virtual-time.ts';

/** The clock of one host: it runs as fast as the true time, and shows another one. */
export class HostClock {
  readonly #time: VirtualTime;
  readonly #skew: number;
  /** Seconds by which the clock is wrong for a while, in addition to its skew. */
  jump = 0;

  constructor(time: VirtualTime, skew: number) {
    this.#time = time;
    this.#skew = skew;
  }

  /** Seconds by which the clock is ahead of the true time. */
  get offset(): number {
    return this.#skew + this.jump;
  }

  now(): number {
    return this.#time.now + this.offset;
  }
}
