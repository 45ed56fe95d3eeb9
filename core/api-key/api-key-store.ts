import type { PortOptions } from '../port.ts';
import type { OwnedStore } from '../record-store.ts';
import type { ApiKey } from './api-key.ts';

/** What the verifier needs of API keys. */
export interface ApiKeyReader {
  /** @returns undefined if there is no such key. */
  findApiKey(keyId: string, options?: PortOptions): Promise<ApiKey | undefined>;
  /**
   * Hears of each value that was accepted. It returns at once and throws nothing. No request waits for
   * what it starts.
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
