type Closer = () => Promise<void>;

/** What must be closed at the end, last opened first. */
export class CleanUp {
  readonly #closers: Closer[] = [];

  /** Remembers how to close a thing, and gives the thing back. */
  use<T extends { close(): Promise<void> }>(thing: T): T {
    this.#closers.push(() => thing.close());
    return thing;
  }

  /** Closes everything, once. What fails does not keep the rest from closing. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      await close().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw new AggregateError(failures, 'the local run did not close');
  }
}
