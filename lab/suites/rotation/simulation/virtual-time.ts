interface TimedEvent {
  /** Seconds since the epoch. */
  readonly at: number;
  readonly run: () => void | Promise<void>;
}

/** The true time of a simulation: it moves from event to event, in whole seconds. */
export class VirtualTime {
  #now: number;
  /** In order: the next event is the last. */
  readonly #events: TimedEvent[] = [];

  constructor(now: number) {
    this.#now = now;
  }

  get now(): number {
    return this.#now;
  }

  /**
   * Runs something at a time; at once, if that time has passed. Events of one second happen in the
   * order in which they were scheduled.
   */
  at(time: number, run: TimedEvent['run']): void {
    const event = { at: Math.max(time, this.#now), run };
    const place = this.#events.findLastIndex(({ at }) => at > event.at) + 1;
    this.#events.splice(place, 0, event);
  }

  /** Lets time pass. An event that takes time itself may call this again. */
  async pass(seconds: number): Promise<void> {
    const end = this.#now + seconds;
    for (let next = this.#events.at(-1); next && next.at <= end; next = this.#events.at(-1)) {
      this.#events.pop();
      this.#now = Math.max(this.#now, next.at);
      const running = next.run();
      if (running !== undefined) await running;
    }
    this.#now = Math.max(this.#now, end);
  }
}

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
