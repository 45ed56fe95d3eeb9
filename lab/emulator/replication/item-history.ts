/** An item in DynamoDB's JSON; undefined if there is none. */
export type StoredItem = Readonly<Record<string, unknown>> | undefined;

/** One write, in the single order of all writes of all regions that strong consistency gives. */
interface Write {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The region of the write; undefined if there are no regions. */
  readonly region: string | undefined;
  /** The item as it was before. */
  readonly before: StoredItem;
}

/** What a reader sees: all writes up to a time, and all writes of its own region. */
export interface View {
  /** Milliseconds since the epoch. */
  readonly horizon: number;
  readonly region: string | undefined;
}

/** Milliseconds for which writes are kept: longer than any fault of a local run lasts. */
const memory = 3_600_000;

/** Earlier versions of written items, from which any past state follows. */
export class ItemHistory {
  readonly #writes = new Map<string, Write[]>();
  readonly #locks = new Map<string, Promise<void>>();

  /** Runs only one write of an item at a time, so the version before it is known. */
  async alone<T>(id: string, act: () => Promise<T>): Promise<T> {
    const before = this.#locks.get(id);
    const mine = Promise.withResolvers<void>();
    this.#locks.set(id, mine.promise);
    try {
      await before;
      return await act();
    } finally {
      mine.resolve();
      if (this.#locks.get(id) === mine.promise) this.#locks.delete(id);
    }
  }

  add(id: string, write: Write): void {
    const kept = (this.#writes.get(id) ?? []).filter(({ at }) => at > write.at - memory);
    this.#writes.set(id, [...kept, write]);
  }

  /** Ids of written items with this prefix. */
  idsFrom(prefix: string): readonly string[] {
    return [...this.#writes.keys()].filter((id) => id.startsWith(prefix));
  }

  /**
   * An item in a view.
   *
   * @param now the item as it is.
   */
  seen(id: string, view: View, present: StoredItem): StoredItem {
    const writes = this.#writes.get(id) ?? [];
    const last = writes.findLastIndex(
      ({ at, region }) => at <= view.horizon || (region !== undefined && region === view.region),
    );
    const firstUnseen = writes[last + 1];
    return firstUnseen === undefined ? present : firstUnseen.before;
  }
}
