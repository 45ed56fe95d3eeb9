type Closer = () => Promise<void>;

/** Resources that must be closed at the end, the last opened first. */
export class CleanUp {
  readonly #closers: Closer[] = [];

  /** Registers how to close a resource, and returns the resource. */
  use<T extends { close(): Promise<void> }>(thing: T): T {
    this.#closers.push(() => thing.close());
    return thing;
  }

  /** Closes everything once. If one resource fails to close, the others are still closed. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      await close().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw new AggregateError(failures, 'the local run did not close');
  }
}
