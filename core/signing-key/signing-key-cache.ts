import { UnavailableError } from '../errors.ts';
import type { PortOptions } from '../port.ts';
import type { KeyListOptions } from './select-signing-key.ts';
import type { SigningKey, SigningKeyReader } from './signing-key.ts';

/** Seconds. */
interface SigningKeyCacheSettings {
  /** Age from which the list is read again. */
  readonly refreshInterval: number;
  /** Maximum age. An older list is not used, even when it cannot be read again. */
  readonly maxAge: number;
}

/**
 * Maximum seconds between two attempts when the table does not answer. Short enough to notice soon
 * when it answers again.
 */
const maxRetryInterval = 5;

/**
 * The list of signing keys, kept in memory. It is read again at intervals; if that fails, for any
 * reason, the last good list is used until it is too old.
 */
export class SigningKeyCache {
  readonly #reader: SigningKeyReader;
  readonly #settings: SigningKeyCacheSettings;
  #keys: readonly SigningKey[] | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #pending: Promise<readonly SigningKey[]> | undefined;
  #failure: unknown;

  constructor(reader: SigningKeyReader, settings: SigningKeyCacheSettings) {
    this.#reader = reader;
    this.#settings = settings;
  }

  /** The last failure to read the list; undefined if the last read succeeded. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * Every signing key of every region.
   *
   * @param now seconds since the epoch.
   * @throws {UnavailableError} if the list is too old. If there never was one, the reader's error.
   */
  async listSigningKeys(now: number, options?: KeyListOptions): Promise<readonly SigningKey[]> {
    const known = this.#keys;
    if (known !== undefined && !this.#isDue(now, options?.maxAge))
      return this.#whileYoung(known, now);
    try {
      this.#pending ??= this.#read(now, options).finally(() => {
        this.#pending = undefined;
      });
      return await this.#pending;
    } catch (error) {
      if (known === undefined) throw error;
      this.#failure = error;
      return this.#whileYoung(known, now);
    }
  }

  /** When the clock is set back, the list is also due. */
  #isDue(now: number, maxAge = Number.POSITIVE_INFINITY): boolean {
    const sinceRead = now - this.#readAt;
    const sinceTry = now - this.#triedAt;
    const { refreshInterval } = this.#settings;
    const isYoung = sinceRead >= 0 && sinceRead < Math.min(refreshInterval, maxAge);
    const retryInterval = Math.min(maxRetryInterval, refreshInterval);
    const hasJustFailed = this.#failure !== undefined && sinceTry >= 0 && sinceTry < retryInterval;
    return !isYoung && !hasJustFailed;
  }

  #whileYoung(keys: readonly SigningKey[], now: number): readonly SigningKey[] {
    if (now - this.#readAt <= this.#settings.maxAge) return keys;
    throw new UnavailableError('the list of signing keys is too old to be used', {
      cause: this.#failure,
    });
  }

  async #read(now: number, options?: PortOptions): Promise<readonly SigningKey[]> {
    this.#triedAt = now;
    const keys = await this.#reader.listSigningKeys(options);
    // An issuer without a key has lost its table or is not set up yet. Neither may replace good
    // keys.
    if (keys.length === 0) throw new UnavailableError('there are no signing keys');
    this.#keys = keys;
    this.#readAt = now;
    this.#failure = undefined;
    return keys;
  }
}
