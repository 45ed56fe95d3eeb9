interface TimedEvent {
  /** Seconds since the epoch. */
  readonly at: number;
  /** Events of one second happen in the order in which they were scheduled. */
  readonly order: number;
  readonly run: () => void | Promise<void>;
}

function isBefore(a: TimedEvent, b: TimedEvent): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** The true time of a simulation: it moves from event to event, in whole seconds. */
export class VirtualTime {
  #now: number;
  #scheduled = 0;
  /** A binary heap: the next event is the first. */
  readonly #heap: TimedEvent[] = [];

  constructor(now: number) {
    this.#now = now;
  }

  get now(): number {
    return this.#now;
  }

  /** Runs something at a time; at once, if that time has passed. */
  at(time: number, run: TimedEvent['run']): void {
    const event = { at: Math.max(time, this.#now), order: this.#scheduled++, run };
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const other = heap[parent] as TimedEvent;
      if (!isBefore(event, other)) break;
      heap[index] = other;
      index = parent;
    }
    heap[index] = event;
  }

  /** Lets time pass. An event that takes time itself may call this again. */
  async pass(seconds: number): Promise<void> {
    const end = this.#now + seconds;
    for (let next = this.#heap[0]; next !== undefined && next.at <= end; next = this.#heap[0]) {
      this.#removeFirst();
      this.#now = Math.max(this.#now, next.at);
      const running = next.run();
      if (running !== undefined) await running;
    }
    this.#now = Math.max(this.#now, end);
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as TimedEvent)) child += 1;
      if (!isBefore(heap[child] as TimedEvent, last)) break;
      heap[index] = heap[child] as TimedEvent;
      index = child;
    }
    heap[index] = last;
  }
}
