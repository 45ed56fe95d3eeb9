import { createPublicKey, type KeyObject } from 'node:crypto';
import { jwksCacheTimes, keyCacheWeight } from '../../contract/bounds.ts';
import { BoundedMap, remember, WeighedMap } from '../bounded-map.ts';
import { UnavailableError } from '../errors.ts';
import { hasGivenKeys } from '../identity-provider/given-keys.ts';
import {
  checkOwnKeySet,
  lintKeySet,
  type ProviderKey,
  type ProviderKeySet,
} from '../identity-provider/key-lint.ts';
import type { ProviderAlg } from '../identity-provider/provider-algorithms.ts';
import type { PortOptions } from '../port.ts';
import type { Clock } from '../time.ts';

/** The location of an issuer's keys. */
export interface JwksSource {
  readonly issuer: string;
  readonly jwksUri: string;
  /** `alg` values that its keys may have. */
  readonly algorithms: readonly ProviderAlg[];
  /** Differs between two registrations of one issuer, so that neither uses the other's keys. */
  readonly registrationId: string;
  /** The trunk group whose own provider it is. */
  readonly ownedBy?: string | undefined;
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

/** Fetches the JSON document at an issuer's JWKS URI. It has a deadline. */
export type FetchJwks = (source: JwksSource) => Promise<unknown>;

/** A fetch of an issuer's keys that ended. Reading keys that were given is not one. */
export interface KeyFetch {
  readonly issuer: string;
  readonly milliseconds: number;
  /** Undefined if the keys can be used. */
  readonly failure: Error | undefined;
}

/** See `jwksCacheTimes` in contract/bounds.ts. Seconds. */
type JwksCacheTimes = { readonly [Name in keyof typeof jwksCacheTimes]: number };

interface JwksCachePorts {
  readonly fetchJwks: FetchJwks;
  readonly clock: Clock;
  /** From 0 to 1, without 1. */
  readonly random: () => number;
  readonly onFetched?: ((fetch: KeyFetch) => void) | undefined;
  readonly times?: JwksCacheTimes | undefined;
}

/** The last good set of an issuer. */
interface StoredSet {
  /** What it was fetched for. */
  readonly source: JwksSource;
  readonly keySet: ProviderKeySet;
  /** The keys of it that were used. */
  readonly used: Map<string, VerificationKey>;
  /** When its fetch began. */
  fetchedAt: number;
}

/** Fetches of an issuer, or of all providers of an owner. */
interface Fetches {
  /** When the last one ended. */
  endedAt: number;
  /** Those that failed since the last good one, and why the last did. */
  failures: number;
  failure: Error | undefined;
  /** Seconds after the last one without another. */
  pause: number;
  pending: Promise<void> | undefined;
}

function createFetches(): Fetches {
  return {
    endedAt: Number.NEGATIVE_INFINITY,
    failures: 0,
    failure: undefined,
    pause: 0,
    pending: undefined,
  };
}

/** A clock that was set back must not stop the fetches until it catches up. */
function isPaused({ endedAt, pause }: Fetches, now: number): boolean {
  return now >= endedAt && now - endedAt < pause;
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('the fetch failed', { cause: thrown });
}

/** Issuers, and owners, whose fetches are remembered: with an error and its stack, 4 MB. */
const maxPauses = 1000;

/** A character of a key set takes up to three bytes: its text, its object, its key in OpenSSL. */
const weightOfCharacter = 3;

function weigh({ keySet }: StoredSet): number {
  return weightOfCharacter * JSON.stringify(keySet).length;
}

/** What is kept of some issuers. What the sets weigh displaces no pause. */
class KnownIssuers {
  readonly sets = new WeighedMap<string, StoredSet>(keyCacheWeight, weigh);
  readonly fetches = new BoundedMap<string, Fetches>(maxPauses);
}

function findKnown(set: StoredSet | undefined, kid: string): VerificationKey | undefined {
  const used = set?.used.get(kid);
  if (used !== undefined || set === undefined) return used;
  const key = set.keySet.keys.find((one) => one.kid === kid);
  return key && remember(set.used, kid, () => toVerificationKey(key));
}

/** Whether two are of one registration, and of one place. */
function isSame(one: JwksSource, other: JwksSource): boolean {
  return one.registrationId === other.registrationId && one.jwksUri === other.jwksUri;
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
 * answered at once meanwhile. The last good set stays in use until `dropAfter`. A successful fetch
 * replaces it.
 *
 * The memory is bounded: sets that were not asked for longest are forgotten first. Providers that
 * customers registered for themselves cannot displace the others, and share a pause with all of the
 * same owner: many that hang hold a process as one does.
 */
export class JwksCache implements KeyFinder {
  readonly #ports: JwksCachePorts;
  readonly #times: JwksCacheTimes;
  readonly #own = new KnownIssuers();
  readonly #shared = new KnownIssuers();
  readonly #owners = new BoundedMap<string, Fetches>(maxPauses);

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
    const set = this.#setOf(source, now);
    const known = findKnown(set, kid);
    if (set !== undefined && known !== undefined && !this.#isDue(set, now)) return known;
    const mustWait = this.#mustWait(source, now);
    const fetching = this.#refreshIfDue(source, known !== undefined, now);
    if (known !== undefined && !mustWait) return known;
    if (!(await waitInTime(fetching, options))) {
      if (known !== undefined) return known;
      throw new UnavailableError(`the keys of ${source.issuer} did not come in time`);
    }
    const found = findKnown(this.#setOf(source, now), kid);
    if (found === undefined) this.#requireSet(source, now);
    return found;
  }

  findLeftOut(source: JwksSource, kid: string): string | undefined {
    const { keySet } = this.#setOf(source, this.#now()) ?? {};
    return keySet?.skipped.find((one) => one.kid === kid)?.reason;
  }

  /**
   * The whole set of an issuer, fetched again unless that was done a moment ago.
   *
   * @throws the failure of the last fetch.
   */
  async readKeySet(source: JwksSource): Promise<ProviderKeySet> {
    const now = this.#now();
    await this.#refreshIfDue(source, false, now);
    const { failure } = this.#fetchesOf(source);
    if (failure !== undefined) throw failure;
    return this.#requireSet(source, now);
  }

  /** Fetches an issuer's keys if that is due, ahead of the first need. Never rejects. */
  async refresh(source: JwksSource): Promise<void> {
    await this.#refreshIfDue(source, true, this.#now());
  }

  #now(): number {
    return this.#ports.clock() / 1000;
  }

  #issuersLike({ ownedBy }: JwksSource): KnownIssuers {
    return ownedBy === undefined ? this.#shared : this.#own;
  }

  #fetchesOf(source: JwksSource): Fetches {
    return remember(this.#issuersLike(source).fetches, source.issuer, createFetches);
  }

  #fetchesOfOwner({ ownedBy }: JwksSource): Fetches | undefined {
    return ownedBy === undefined ? undefined : remember(this.#owners, ownedBy, createFetches);
  }

  /**
   * The last good set of an issuer, of any registration. A set from the future means that the clock
   * was ahead. Its age counts from now.
   */
  #lastSetOf(source: JwksSource, now: number): StoredSet | undefined {
    const set = this.#issuersLike(source).sets.get(source.issuer);
    if (set === undefined) return undefined;
    set.fetchedAt = Math.min(set.fetchedAt, now);
    return now - set.fetchedAt < this.#times.dropAfter ? set : undefined;
  }

  #setOf(source: JwksSource, now: number): StoredSet | undefined {
    const set = this.#lastSetOf(source, now);
    return set !== undefined && isSame(set.source, source) ? set : undefined;
  }

  #isDue({ fetchedAt }: StoredSet, now: number): boolean {
    return now - fetchedAt >= this.#times.refreshAfter;
  }

  /** @throws {UnavailableError} if there is no set, or its keys may be others by now. */
  #requireSet(source: JwksSource, now: number): ProviderKeySet {
    const { failure } = this.#fetchesOf(source);
    const set = this.#setOf(source, now);
    if (set !== undefined && failure === undefined) return set.keySet;
    const cause = failure ?? this.#fetchesOfOwner(source)?.failure;
    throw new UnavailableError(`the keys of ${source.issuer} cannot be fetched`, { cause });
  }

  /** A known key waits for a fetch only if its set is old, and not again while fetches fail. */
  #mustWait(source: JwksSource, now: number): boolean {
    const { refreshAfter, refreshBefore } = this.#times;
    const { fetchedAt = Number.NEGATIVE_INFINITY } = this.#lastSetOf(source, now) ?? {};
    if (now - fetchedAt < refreshBefore) return false;
    const { failure, endedAt } = this.#fetchesOf(source);
    return failure === undefined || now - endedAt >= refreshAfter;
  }

  #refreshIfDue(source: JwksSource, isKnown: boolean, now: number): Promise<void> {
    const fetches = this.#fetchesOf(source);
    if (fetches.pending !== undefined) return fetches.pending;
    const set = this.#lastSetOf(source, now);
    if (isKnown && set !== undefined && !this.#isDue(set, now)) return Promise.resolve();
    const isNew = fetches.failure === undefined && this.#setOf(source, now) === undefined;
    const owner = this.#fetchesOfOwner(source);
    const ofOwner = owner !== undefined && isPaused(owner, now);
    if (ofOwner || (!isNew && isPaused(fetches, now))) return Promise.resolve();
    fetches.pending = this.#replaceKeys(fetches, source).finally(() => {
      fetches.pending = undefined;
    });
    return fetches.pending;
  }

  /** Never rejects: the fetches record the failure. */
  async #replaceKeys(fetches: Fetches, source: JwksSource): Promise<void> {
    const { issuer, algorithms, ownedBy } = source;
    const { longestPause, longestOwnPause } = this.#times;
    const { sets, fetches: all } = this.#issuersLike(source);
    const startedAt = this.#now();
    let failure: Error | undefined;
    try {
      const keySet = lintKeySet(await this.#ports.fetchJwks(source), algorithms);
      // A set may have grown since its provider was registered.
      if (ownedBy !== undefined) checkOwnKeySet(keySet);
      sets.set(issuer, { source, keySet, used: new Map(), fetchedAt: startedAt });
    } catch (error) {
      failure = toError(error);
      const owner = this.#fetchesOfOwner(source);
      if (ownedBy !== undefined && owner !== undefined) {
        // Good fetches of another provider end no pause, and a quiet time does.
        if (this.#now() - owner.endedAt > 2 * longestPause) owner.failures = 0;
        this.#end(owner, failure, longestPause);
        this.#owners.set(ownedBy, owner);
      }
    }
    this.#end(fetches, failure, ownedBy === undefined ? longestPause : longestOwnPause);
    if (this.#lastSetOf(source, fetches.endedAt) !== undefined) {
      fetches.pause = Math.max(fetches.pause, this.#times.cooldown);
    }
    all.set(issuer, fetches);
    if (hasGivenKeys(source)) return;
    const milliseconds = Math.max(0, Math.round((fetches.endedAt - startedAt) * 1000));
    this.#ports.onFetched?.({ issuer, milliseconds, failure });
  }

  /** Instances that failed together do not come back together: up to a quarter is left out. */
  #end(fetches: Fetches, failure: Error | undefined, longest: number): void {
    const { cooldown, coldRetry } = this.#times;
    fetches.endedAt = this.#now();
    fetches.failure = failure;
    fetches.failures = failure === undefined ? 0 : fetches.failures + 1;
    const doubled = Math.min(coldRetry * 2 ** (fetches.failures - 1), longest);
    fetches.pause = failure === undefined ? cooldown : doubled * (1 - this.#ports.random() / 4);
  }
}
