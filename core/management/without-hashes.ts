/**
 * A value without the hashes in it, at any depth. A hash of 256 random bits tells nothing, but it
 * has no use outside the service, and looks like a leak if it turns up.
 */
export type WithoutHashes<T> = T extends (...args: never) => unknown
  ? T
  : T extends readonly (infer Item)[]
    ? readonly WithoutHashes<Item>[]
    : T extends object
      ? { readonly [Key in keyof T as Key extends 'hash' ? never : Key]: WithoutHashes<T[Key]> }
      : T;
