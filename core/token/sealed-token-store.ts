import type { PortOptions } from '../port.ts';
import type { SealedTokenKeys } from './sealed-token.ts';

/** An item of the table of sealed tokens. */
export interface SealedItem {
  readonly itemId: string;
  readonly sealed: Uint8Array;
  /** From when on the table may drop it, in seconds since the epoch. */
  readonly expiresAt: number;
}

/** A read that has begun. */
export type SealedTokenRead = () => Promise<Uint8Array | undefined>;

/** The table of sealed tokens. A token needs none of it, so nothing here rejects. */
export interface SealedTokenStore {
  /**
   * Begins to read an item.
   *
   * @returns waits for it, for a bounded time; undefined if there is no item, or none in time.
   */
  read(itemId: string, options?: PortOptions): SealedTokenRead;
  /** Begins to write an item. Resolves when the request need not wait any longer. */
  write(item: SealedItem, options?: PortOptions): Promise<void>;
  /** Calls that failed or came too late since the last look. */
  takeFailures(): number;
}

/** A search for a token that another instance may have signed for a request. */
export interface SharedLookup {
  readonly keys: SealedTokenKeys;
  /** Waits for the table, for a bounded time. */
  readonly read: SealedTokenRead;
}
