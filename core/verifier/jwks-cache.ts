import { createPublicKey, type KeyObject } from 'node:crypto';
import { jwksCacheTimes, keyCacheWeight } from '../../contract/limits.ts';
import { WeighedMap } from '../bounded-map.ts';
import type { Clock } from '../clock.ts';
import { UnavailableError } from '../errors.ts';
import { hasOwner } from '../identity-provider/identity-provider.ts';
import {
  checkOwnKeySet,
  lintKeySet,
  type ProviderKey,
  type ProviderKeySet,
} from '../identity-provider/key-lint.ts';
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
  /** Whether it belongs to trunk groups: see {@link hasOwner}. */
  readonly owned?: true | undefined;
}

/** A public key, ready to verify with. */
export interface VerificationKey {
  readonly kid: string;
  readonly alg: ProviderAlg;
  readonly publicKey: KeyObject;
}

export function toVerificationKey({ kid, alg, ...jwk }: ProviderKey): VerificationKey {
  return { kid, alg, publicKey: createPublicKey({ key: { ...jwk, alg }, format: 'jwk' }) };
}

/** Finds the key of an issuer by its id. {@link JwksCache} does. */
export interface KeyFinder {
  findKey(
    source: JwksSource,
    kid: string,
    options?: PortOptions,
  ): Promise<VerificationKey | undefined>;
  /** Why the last set's key of that id is not used; undefined if there is none. */
  findLeftOut?(source: JwksSource, kid: string): string | undefined;
}

/** Fetches the JSON document at an issuer's JWKS URI. It has a limit on its time. */
export type FetchJwks = (source: JwksSource) => Promise<unknown>;

/** A fetch of an issuer's keys that ended. */
export interface KeyFetch {
  readonly issuer: string;
  readonly milliseconds: number;
  /** Undefined if the keys can be used. */
  readonly failure: Error | undefined;
}

/** See `jwksCacheTimes` in contract/limits.ts. Seconds. */
type JwksCacheTimes = { readonly [Name in keyof typeof jwksCacheTimes]: number };

interface JwksCachePorts {
  readonly fetchJwks: FetchJwks;
  readonly clock: Clock;
  /** From 0 to 1, without 1. */
  readonly random: () => number;
  readonly onFetched?: ((fetch: KeyFetch) => void) | undefined;
  readonly times?: JwksCacheTimes | undefined;
}

interface Entry {
  /** The registration that {@link keySet} was fetched for. */
  registration: string | undefined;
  /** The last good set, the keys of it that were used, and when its fetch began. */
  keySet: ProviderKeySet | undefined;
  used: Map<string, VerificationKey>;
  fetchedAt: number;
  /** When the last fetch ended. */
  endedAt: number;
  /** Fetches that failed since the last good one, and why the last did. */
  failures: number;
  failure: Error | undefined;
  /** Seconds after the last fetch without another one. */
  pause: number;
  pending: Promise<void> | undefined;
}

function createEntry(): Entry {
  return {
    registration: undefined,
    keySet: undefined,
    used: new Map(),
    fetchedAt: Number.NEGATIVE_INFINITY,
    endedAt: Number.NEGATIVE_INFINITY,
    failures: 0,
    failure: undefined,
    pause: 0,
    pending: undefined,
  };
}

/** Bytes of heap that an issuer takes without keys: its texts, and an error with its stack. */
const weightOfEntry = 4096;

/** A character of a key set takes up to three bytes: its text, its object, its key in OpenSSL. */
const weightOfCharacter = 3;

function weigh({ keySet }: Entry): number {
  if (keySet === undefined) return weightOfEntry;
  return weightOfEntry + weightOfCharacter * JSON.stringify(keySet).length;
}

function registrationOf({ registrationId, jwksUri }: JwksSource): string {
  return `${registrationId} ${jwksUri}`;
}

/**
 * Waits for a fetch until the request's deadline. The fetch continues for other requests.
 *
 * @param fetching never rejects.
 * @returns whether it ended in time.
 */
async function waitInTime(fetching: Promise<void>, { signal }: PortOptions): Promise<boolean> {
  if (signal === undefined) {
    await fetching;
    return true;
  }
  let stop: () => void = () => undefined;
  const overdue = new Promise<boolean>((resolve) => {
    stop = () => resolve(false);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
  const isInTime = await Promise.race([fetching.then(() => true), overdue]);
  signal.removeEventListener('abort', stop);
  return isInTime;
}

/**
 * The keys of every issuer whose tokens are verified, separated by issuer: a key is found by
 * (issuer, kid), never only by kid. There is one fetch per issuer at a time, and a pause after each,
 * also if the issuer is registered again. The pause of an issuer that fails doubles, and requests are
 * answered at once meanwhile. The last good set stays in use until its hard limit. A successful fetch
 * replaces it.
 *
 * The memory is bounded: issuers that were not asked for longest are forgotten first. Providers that
 * customers registered for themselves cannot displace the others.
 */
export class JwksCache implements KeyFinder {
  readonly #ports: JwksCachePorts;
  readonly #times: JwksCacheTimes;
  readonly #own = new WeighedMap<string, Entry>(keyCacheWeight, weigh);
  readonly #shared = new WeighedMap<string, Entry>(keyCacheWeight, weigh);

  constructor(ports: JwksCachePorts) {
    this.#ports = ports;
    this.#times = ports.times ?? jwksCacheTimes;
  }

  /**
   * Finds a key of an issuer. The caller has made sure that the issuer is one of its own.
   *
   * @returns undefined if the issuer has no such key.
   * @throws {UnavailableError} if the keys cannot be fetched before the request's deadline.
   */
  async findKey(
    source: JwksSource,
    kid: string,
    options: PortOptions = {},
  ): Promise<VerificationKey | undefined> {
    const now = this.#now();
    const entry = this.#entryOf(source, now);
    const known = this.#keyOf(entry, source, kid);
    const mustWait = this.#mustWait(entry, now);
    const fetching = this.#refreshIfDue(entry, source, known !== undefined, now);
    if (known !== undefined && !mustWait) return known;
    if (!(await waitInTime(fetching, options))) {
      if (known !== undefined) return known;
      throw new UnavailableError(`the keys of ${source.issuer} did not come in time`);
    }
    const found = this.#keyOf(entry, source, kid);
    if (found === undefined) this.#requireSet(entry, source);
    return found;
  }

  findLeftOut(source: JwksSource, kid: string): string | undefined {
    const entry = this.#mapOf(source).get(source.issuer);
    if (entry === undefined || !this.#hasSet(entry, source)) return undefined;
    return entry.keySet?.skipped.find((one) => one.kid === kid)?.reason;
  }

  /**
   * The whole set of an issuer, fetched again unless that was done a moment ago.
   *
   * @throws the failure of the last fetch.
   */
  async readKeySet(source: JwksSource): Promise<ProviderKeySet> {
    const entry = this.#entryOf(source, this.#now());
    await this.#refreshIfDue(entry, source, false, this.#now());
    if (entry.failure !== undefined) throw entry.failure;
    return this.#requireSet(entry, source);
  }

  /** Fetches an issuer's keys if that is due, ahead of the first need. Never rejects. */
  async refresh(source: JwksSource): Promise<void> {
    const now = this.#now();
    await this.#refreshIfDue(this.#entryOf(source, now), source, true, now);
  }

  #now(): number {
    return this.#ports.clock() / 1000;
  }

  #mapOf(source: JwksSource): WeighedMap<string, Entry> {
    return hasOwner(source) ? this.#own : this.#shared;
  }

  /** A set from the future means that the clock was ahead. Its age counts from now. */
  #entryOf(source: JwksSource, now: number): Entry {
    const map = this.#mapOf(source);
    const known = map.get(source.issuer);
    if (known === undefined) {
      const entry = createEntry();
      map.set(source.issuer, entry);
      return entry;
    }
    known.fetchedAt = Math.min(known.fetchedAt, now);
    if (now - known.fetchedAt >= this.#times.hardLimit) known.keySet = undefined;
    return known;
  }

  #hasSet(entry: Entry, source: JwksSource): boolean {
    return entry.keySet !== undefined && entry.registration === registrationOf(source);
  }

  #keyOf(entry: Entry, source: JwksSource, kid: string): VerificationKey | undefined {
    if (!this.#hasSet(entry, source)) return undefined;
    const used = entry.used.get(kid);
    if (used !== undefined) return used;
    const key = entry.keySet?.keys.find((one) => one.kid === kid);
    if (key === undefined) return undefined;
    const made = toVerificationKey(key);
    entry.used.set(kid, made);
    return made;
  }

  /** @throws {UnavailableError} if there is no set, or its keys may be others by now. */
  #requireSet(entry: Entry, source: JwksSource): ProviderKeySet {
    const { keySet, failure: cause } = entry;
    if (keySet !== undefined && cause === undefined && this.#hasSet(entry, source)) return keySet;
    throw new UnavailableError(`the keys of ${source.issuer} cannot be fetched`, { cause });
  }

  /** A known key waits for a fetch only if its set is old, and not again while fetches fail. */
  #mustWait(entry: Entry, now: number): boolean {
    const { refreshAfter, refreshBefore } = this.#times;
    if (now - entry.fetchedAt < refreshBefore) return false;
    return entry.failure === undefined || now - entry.endedAt >= refreshAfter;
  }

  #refreshIfDue(entry: Entry, source: JwksSource, isKnown: boolean, now: number): Promise<void> {
    if (entry.pending !== undefined) return entry.pending;
    if (isKnown && now - entry.fetchedAt < this.#times.refreshAfter) return Promise.resolve();
    const isNew = entry.failure === undefined && !this.#hasSet(entry, source);
    const sinceEnd = now - entry.endedAt;
    // A clock that was set back must not stop the fetches until it catches up.
    if (!isNew && sinceEnd >= 0 && sinceEnd < entry.pause) return Promise.resolve();
    entry.pending = this.#replaceKeys(entry, source).finally(() => {
      entry.pending = undefined;
    });
    return entry.pending;
  }

  /** Never rejects: the entry records the failure. */
  async #replaceKeys(entry: Entry, source: JwksSource): Promise<void> {
    const { issuer, algorithms } = source;
    const startedAt = this.#now();
    try {
      const keySet = lintKeySet(await this.#ports.fetchJwks(source), algorithms);
      // A set may have grown since its provider was registered.
      if (hasOwner(source)) checkOwnKeySet(keySet);
      entry.keySet = keySet;
      entry.registration = registrationOf(source);
      entry.used = new Map();
      entry.fetchedAt = startedAt;
      entry.failure = undefined;
      entry.failures = 0;
    } catch (error) {
      entry.failure =
        error instanceof Error ? error : new Error('the fetch failed', { cause: error });
      entry.failures += 1;
    }
    entry.endedAt = this.#now();
    entry.pause = this.#pauseAfter(entry, source);
    this.#mapOf(source).set(issuer, entry);
    const milliseconds = Math.max(0, Math.round((entry.endedAt - startedAt) * 1000));
    this.#ports.onFetched?.({ issuer, milliseconds, failure: entry.failure });
  }

  /** Instances that failed together do not come back together: up to a quarter is left out. */
  #pauseAfter({ failures, keySet }: Entry, source: JwksSource): number {
    const { cooldown, coldRetry, longestPause, longestOwnPause } = this.#times;
    if (failures === 0) return cooldown;
    const longest = hasOwner(source) ? longestOwnPause : longestPause;
    const doubled = Math.min(coldRetry * 2 ** (failures - 1), longest);
    const pause = doubled * (1 - this.#ports.random() / 4);
    return keySet === undefined ? pause : Math.max(pause, cooldown);
  }
}
