/** A value without the hashes in it, at any depth. */
export type WithoutHashes<T> = T extends (...args: never) => unknown
  ? T
  : T extends readonly (infer Item)[]
    ? readonly WithoutHashes<Item>[]
    : T extends object
      ? { readonly [Key in keyof T as Key extends 'hash' ? never : Key]: WithoutHashes<T[Key]> }
      : T;

/**
 * Leaves the hashes of credentials out of what is returned. A hash of 256 random bits tells
 * nothing, but it has no use outside the service either, and looks like a leak if it turns up.
 */
export function withoutHashes<T>(value: T): WithoutHashes<T> {
  if (Array.isArray(value)) return value.map(withoutHashes) as WithoutHashes<T>;
  if (typeof value !== 'object' || value === null) return value as WithoutHashes<T>;
  const entries = Object.entries(value).filter(([name]) => name !== 'hash');
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, withoutHashes(inner)]),
  ) as WithoutHashes<T>;
}
