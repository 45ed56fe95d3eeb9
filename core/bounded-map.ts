/** A map of bounded size. When a new entry does not fit, the one that was set first is removed. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #maxSize: number;

  constructor(maxSize: number) {
    super();
    this.#maxSize = maxSize;
  }

  /** An entry that is set again becomes the newest. */
  override set(key: Key, value: Value): this {
    this.delete(key);
    if (this.size >= this.#maxSize) {
      for (const oldest of this.keys()) {
        this.delete(oldest);
        break;
      }
    }
    return super.set(key, value);
  }
}

/**
 * A map whose entries weigh at most so much together. When a new entry does not fit, those that
 * were not used for the longest time are removed; the new one too, if it weighs more than all may.
 */
export class WeighedMap<Key, Value> {
  readonly #maxWeight: number;
  readonly #weigh: (value: Value) => number;
  readonly #entries = new Map<Key, { readonly value: Value; readonly weight: number }>();
  #weight = 0;
  #newest: Key | undefined;

  /** @param weigh is called once for each {@link set}. A weight above 0 also bounds the number. */
  constructor(maxWeight: number, weigh: (value: Value) => number) {
    this.#maxWeight = maxWeight;
    this.#weigh = weigh;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Of all entries together. */
  get weight(): number {
    return this.#weight;
  }

  /** An entry that is read becomes the newest. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    // Most reads are of the newest, and to move an entry costs more than to find it.
    if (entry !== undefined && key !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#newest = key;
    }
    return entry?.value;
  }

  /** A value that was changed must be set again, because its weight is another. */
  set(key: Key, value: Value): void {
    this.#remove(key);
    const weight = this.#weigh(value);
    this.#entries.set(key, { value, weight });
    this.#newest = key;
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#maxWeight) return;
      this.#remove(oldest);
    }
  }

  #remove(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}

/** The value of a key, made and kept if there is none. */
export function remember<Key, Value extends object>(
  known: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: (key: Key) => Value,
): Value {
  const before = known.get(key);
  if (before !== undefined) return before;
  const value = make(key);
  known.set(key, value);
  return value;
}

/** Makes the value of each object once. It is kept as long as the object. */
export function memoize<Key extends object, Value extends object>(
  make: (key: Key) => Value,
): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => remember(known, key, make);
}
