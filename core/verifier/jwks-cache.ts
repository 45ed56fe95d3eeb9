import { createPublicKey, type KeyObject } from 'node:crypto';
import { jwksCacheTimes } from '../../contract/limits.ts';
import { UnavailableError } from '../errors.ts';
import { lintKeySet } from '../identity-provider/key-lint.ts';
import type { ProviderAlg } from '../identity-provider/provider-algorithms.ts';
import type { PortOptions } from '../port.ts';

/** The location of an issuer's keys. */
export interface JwksSource {
  readonly issuer: string;
  readonly jwksUri: string;
  /** `alg` values that its keys may have. */
  readonly algorithms: readonly ProviderAlg[];
  /** Differs between two registrations of one issuer, so that neither uses the other's keys. */
  readonly registrationId: string;
}

/** A public key, ready to verify with. */
export interface VerificationKey {
  readonly kid: string;
  readonly alg: ProviderAlg;
  readonly publicKey: KeyObject;
}

/** Fetches the JSON document at an issuer's JWKS URI. */
export type FetchJwks = (source: JwksSource) => Promise<unknown>;

/** See `jwksCacheTimes` in contract/limits.ts. Seconds. */
export type JwksCacheTimes = { readonly [Name in keyof typeof jwksCacheTimes]: number };

type Keys = ReadonlyMap<string, VerificationKey>;

interface Entry {
  readonly source: JwksSource;
  /** The last good set, and when its fetch began. */
  keys: Keys | undefined;
  fetchedAt: number;
  /** When the last fetch began, regardless of its result. */
  attemptedAt: number;
  failure: unknown;
  pending: Promise<void> | undefined;
}

/**
 * Waits for a fetch until the request's deadline. The fetch continues for other requests.
 *
 * @param fetching never rejects.
 * @throws {UnavailableError} if the deadline passes first.
 */
async function waitInTime(fetching: Promise<void>, { signal }: PortOptions): Promise<void> {
  if (signal === undefined) return fetching;
  let stop: () => void = () => undefined;
  const overdue = new Promise<boolean>((resolve) => {
    stop = () => resolve(true);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
  const isOverdue = await Promise.race([fetching.then(() => false), overdue]);
  signal.removeEventListener('abort', stop);
  if (isOverdue) throw new UnavailableError('the keys of the issuer did not come in time');
}

function readKeys(document: unknown, source: JwksSource): Keys {
  const { keys } = lintKeySet(document, source.algorithms);
  return new Map(
    keys.map(({ kid, alg, ...jwk }) => [
      kid,
      { kid, alg, publicKey: createPublicKey({ key: { ...jwk, alg }, format: 'jwk' }) },
    ]),
  );
}

/**
 * The keys of every issuer whose tokens are verified, separated by issuer: a key is found by
 * (issuer, kid), never only by kid. There is one fetch per issuer at a time, and at most one per
 * cooldown. If a fetch fails or returns no good set, the last good set stays in use until its hard
 * limit. A successful fetch replaces it.
 */
export class JwksCache {
  readonly #fetchJwks: FetchJwks;
  readonly #times: JwksCacheTimes;
  readonly #entries = new Map<string, Entry>();

  constructor(fetchJwks: FetchJwks, times: JwksCacheTimes = jwksCacheTimes) {
    this.#fetchJwks = fetchJwks;
    this.#times = times;
  }

  /**
   * Finds a key of an issuer. The caller has made sure that the issuer is one of its own.
   *
   * @param now seconds since the epoch.
   * @returns undefined if the issuer has no such key.
   * @throws {UnavailableError} if the keys cannot be fetched before the request's deadline.
   */
  async findKey(
    source: JwksSource,
    kid: string,
    now: number,
    options: PortOptions = {},
  ): Promise<VerificationKey | undefined> {
    const entry = this.#entryOf(source, now);
    this.#dropOverdue(entry, now);
    const known = entry.keys?.get(kid);
    const mustWait = this.#mustWait(entry, now);
    const refreshed = this.#refreshIfDue(entry, known !== undefined, now);
    if (known !== undefined && !mustWait) return known;
    await waitInTime(refreshed, options);
    const found = entry.keys?.get(kid);
    if (found === undefined && entry.failure !== undefined) {
      throw new UnavailableError('the keys of the issuer cannot be fetched', {
        cause: entry.failure,
      });
    }
    return found;
  }

  /**
   * Fetches an issuer's keys if that is due, ahead of the first need. Never rejects.
   *
   * @param now seconds since the epoch.
   */
  async refresh(source: JwksSource, now: number): Promise<void> {
    await this.#refreshIfDue(this.#entryOf(source, now), true, now);
  }

  /** A set from the future means that the clock was ahead. Its age counts from now. */
  #entryOf(source: JwksSource, now: number): Entry {
    const known = this.#entries.get(source.issuer);
    const isSame =
      known?.source.registrationId === source.registrationId &&
      known.source.jwksUri === source.jwksUri;
    if (known !== undefined && isSame) {
      known.fetchedAt = Math.min(known.fetchedAt, now);
      return known;
    }
    const entry: Entry = {
      source,
      keys: undefined,
      fetchedAt: Number.NEGATIVE_INFINITY,
      attemptedAt: Number.NEGATIVE_INFINITY,
      failure: undefined,
      pending: undefined,
    };
    this.#entries.set(source.issuer, entry);
    return entry;
  }

  #dropOverdue(entry: Entry, now: number): void {
    if (now - entry.fetchedAt >= this.#times.hardLimit) entry.keys = undefined;
  }

  /** A known key waits for a fetch only if its set is old, and not again while fetches fail. */
  #mustWait(entry: Entry, now: number): boolean {
    const { refreshAfter, refreshBefore } = this.#times;
    if (now - entry.fetchedAt < refreshBefore) return false;
    return entry.failure === undefined || now - entry.attemptedAt >= refreshAfter;
  }

  #refreshIfDue(entry: Entry, isKnown: boolean, now: number): Promise<void> {
    if (entry.pending !== undefined) return entry.pending;
    if (isKnown && now - entry.fetchedAt < this.#times.refreshAfter) return Promise.resolve();
    const pause = entry.keys === undefined ? this.#times.coldRetry : this.#times.cooldown;
    const sinceAttempt = now - entry.attemptedAt;
    // A clock that was set back must not stop the fetches until it catches up.
    if (sinceAttempt >= 0 && sinceAttempt < pause) return Promise.resolve();
    entry.pending = this.#replaceKeys(entry, now).finally(() => {
      entry.pending = undefined;
    });
    return entry.pending;
  }

  /** Never rejects: the entry records the failure. */
  async #replaceKeys(entry: Entry, now: number): Promise<void> {
    entry.attemptedAt = now;
    try {
      entry.keys = readKeys(await this.#fetchJwks(entry.source), entry.source);
      entry.fetchedAt = now;
      entry.failure = undefined;
    } catch (error) {
      entry.failure = error ?? new Error('the fetch failed without an error');
    }
  }
}
