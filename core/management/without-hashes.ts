/** What a record without stops is, and no other. */
type Derived<T> = 'stops' extends keyof T ? { readonly enabled: boolean } : unknown;

/**
 * A value as management returns it: without the hashes in it, at any depth. A hash of 256 random bits
 * tells nothing, but it has no use outside the service, and looks like a leak if it turns up.
 */
export type Shown<T> = T extends (...args: never) => unknown
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Shown<Item>[]
    : T extends object
      ? Derived<T> & {
          readonly [Key in keyof T as Key extends 'hash' ? never : Key]: Shown<T[Key]>;
        }
      : T;
