import type { MalformedRecordError } from '../../core/errors.ts';

/** How a store reads. */
export interface StoreOptions {
  /**
   * Whether reads see every earlier write: for management and rotation. By default, reads are
   * eventually consistent: faster, half the price, and independent of other regions.
   */
  readonly consistentRead?: boolean | undefined;
  /** Receives each error when a list skips an item that cannot be read. */
  readonly onMalformedRecord?: ((error: MalformedRecordError) => void) | undefined;
}
