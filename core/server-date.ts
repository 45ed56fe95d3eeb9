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
