import type { PortOptions } from '../port.ts';
import type { OwnedRecord, OwnedStore } from '../record-store.ts';

/** One entry of an API key's access control list. */
export interface ApiKeySubnet {
  readonly subnetId: string;
  readonly name: string;
  /** Network address in canonical text, IPv4 or IPv6, host bits zero. */
  readonly address: string;
  /** Number of leading one bits of the netmask. Never 0: an empty list means every source. */
  readonly prefixLength: number;
}

/** A value that a rotation replaced. */
export interface OldValue {
  readonly valueId: string;
  readonly hash: string;
  /** The first second at which it no longer works, if the key does not expire before. */
  readonly expiresAt: number;
}

/** What is not in a key's record: the UTC day, `2026-11-20`, on which a value was last accepted. */
interface LastUse {
  readonly lastUsedOn?: string | undefined;
}

/** A key as it is shown and listed. The days are of checks that record them. */
export interface ApiKeyWithUse extends Omit<ApiKey, 'oldValues'>, LastUse {
  readonly oldValues?: readonly (OldValue & LastUse)[] | undefined;
  /** Whether the days could not be read. */
  readonly isLastUseUnread?: true | undefined;
}

/** A long-lived bearer credential of a person. */
export interface ApiKey extends OwnedRecord {
  readonly keyId: string;
  /** See core/credential/credential-value.ts. The value itself is never kept. */
  readonly hash: string;
  /** Which value that is. Undefined: the first one, see {@link valueIdOf}. */
  readonly valueId?: string | undefined;
  /** Values that work next to it, or did. The oldest is first; undefined if there is none. */
  readonly oldValues?: readonly OldValue[] | undefined;
  /** What follows from the idempotency keys of the last rotations that had one, the oldest first. */
  readonly rotationIds?: readonly string[] | undefined;
  /** Sources that may use the key. Empty: every source. */
  readonly subnets: readonly ApiKeySubnet[];
  /** The only scopes that it satisfies, never none. Undefined: every scope. */
  readonly scopes?: readonly string[] | undefined;
  /** The first second at which it no longer works; never if undefined. */
  readonly expiresAt?: number | undefined;
}

/** The id of a key's present value. The first value has the id of the key. */
export function valueIdOf({ valueId, keyId }: Pick<ApiKey, 'valueId' | 'keyId'>): string {
  return valueId ?? keyId;
}

/** What the verifier needs of API keys. */
export interface ApiKeyReader {
  /** @returns undefined if there is no such key. */
  findApiKey(keyId: string, options?: PortOptions): Promise<ApiKey | undefined>;
  /**
   * Hears of each value that was accepted. It returns at once and throws nothing. No request waits
   * for what it starts.
   */
  readonly recordUse?: RecordApiKeyUse | undefined;
}

/** Which value of which key was accepted. */
export interface ApiKeyUse {
  readonly keyId: string;
  readonly valueId: string;
}

/** @param now seconds since the epoch. */
export type RecordApiKeyUse = (use: ApiKeyUse, now: number) => void;

/** The days on which values of API keys were last used. */
export interface ApiKeyUseReader {
  /** @returns the last day of each value that has one, in the order of the values. */
  findLastUses(uses: readonly ApiKeyUse[]): Promise<readonly (string | undefined)[]>;
}

/** What management needs of API keys. */
export type ApiKeyStore = OwnedStore<ApiKey>;
