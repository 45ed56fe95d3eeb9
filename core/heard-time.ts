/** The time of another host lies between the two, in milliseconds since the epoch. */
export interface TimeBounds {
  readonly earliest: number;
  readonly latest: number;
}

/** HTTP dates are whole seconds (RFC 9110 §5.6.7): the true time may be nearly a second later. */
const resolution = 1000;

/** All values are milliseconds. */
interface Heard {
  readonly serverTime: number;
  /** From the request to the response. */
  readonly latency: number;
  /** On the counter. */
  readonly heardAt: number;
}

/** The time that AWS last said, carried on by a counter. */
export class HeardTime {
  readonly #elapsed: () => number;
  #heard: Heard | undefined;

  /** @param elapsed milliseconds on a counter that only counts up, also when the clock is set. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Records the time of a response when it arrives. Values are milliseconds. */
  hear(serverTime: number, latency: number): void {
    this.#heard = { serverTime, latency, heardAt: this.#elapsed() };
  }

  forget(): void {
    this.#heard = undefined;
  }

  /** The present time there; undefined before the first response. */
  bounds(): TimeBounds | undefined {
    if (this.#heard === undefined) return undefined;
    const { serverTime, latency, heardAt } = this.#heard;
    const earliest = serverTime + this.#elapsed() - heardAt;
    return { earliest, latest: earliest + resolution + latency };
  }
}
