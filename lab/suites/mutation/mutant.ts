/** A mistake that someone could make, written into the code while tests run. */
export interface Mutant {
  readonly name: string;
  /** The tests that must notice it; those of the key rotation if left out. */
  readonly area?: 'revocation';
  readonly edits: readonly {
    readonly file: string;
    /** Occurs in the file exactly once. */
    readonly find: string;
    readonly replace: string;
  }[];
}
