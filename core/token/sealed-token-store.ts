import type { PortOptions } from '../port.ts';
import type { SealedPlace } from './sealed-token.ts';

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

/** What another instance may have signed for a request. */
export interface SharedToken {
  readonly place: SealedPlace;
  /** Left out if this instance has the token itself, as far as it can know before it reads the client. */
  readonly read?: SealedTokenRead | undefined;
}
