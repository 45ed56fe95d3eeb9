/** A map with a limit. When a new entry does not fit, the one that was set first is removed. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #limit: number;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  /** An entry that is set again becomes the newest. */
  override set(key: Key, value: Value): this {
    this.delete(key);
    if (this.size >= this.#limit) {
      for (const oldest of this.keys()) {
        this.delete(oldest);
        break;
      }
    }
    return super.set(key, value);
  }
}
