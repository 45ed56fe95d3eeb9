import type { MalformedRecordError } from '../../core/errors.ts';

/** How a store reads. */
export interface StoreOptions {
  /**
   * Whether reads see every write that came before: for management and rotation. If left out,
   * reads are eventually consistent: faster, half the price, and independent of other regions.
   */
  readonly consistentRead?: boolean | undefined;
  /** Hears of each item that a list leaves out because it cannot be read. */
  readonly onMalformedRecord?: ((error: MalformedRecordError) => void) | undefined;
}
