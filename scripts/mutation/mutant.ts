/** A mistake that someone could make, written into the code while tests run. */
export interface Mutant {
  readonly name: string;
  readonly edits: readonly {
    readonly file: string;
    /** Occurs in the file exactly once. */
    readonly find: string;
    readonly replace: string;
  }[];
}
