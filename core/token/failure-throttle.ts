import { hash } from 'node:crypto';
import { TooManyFailuresError } from '../errors.ts';
import type { ClientCredentials } from './client-authentication.ts';

/** Times are seconds. See `authenticationFailureThrottle` in contract/bounds.ts. */
interface ThrottleSettings {
  readonly window: number;
  readonly distinctSecrets: number;
  readonly repetitions: number;
  readonly capacity: number;
}

/** One attempt to authenticate: any texts that a caller sent, and its address. */
export interface Attempt extends ClientCredentials {
  /** A network address that the caller cannot choose. */
  readonly source: string;
}

interface Counter {
  readonly count: number;
  /** Seconds since the epoch. */
  readonly endsAt: number;
}

/** A name of fixed size, so text from a caller is never kept. */
function nameOf(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}

/**
 * Counts failed authentications by client and source, only in this instance's memory.
 *
 * Different secrets for one client are guesses: after a few, every attempt from that source for
 * that client is refused. One repeated secret is a service with an old secret: after some more
 * attempts, only attempts with that secret are refused, and others of the same client and source
 * are still checked. Whether the client exists makes no difference, and other sources are never
 * affected.
 */
export class FailureThrottle {
  readonly #settings: ThrottleSettings;
  /** The oldest first. */
  readonly #counters = new Map<string, Counter>();

  constructor(settings: ThrottleSettings) {
    this.#settings = settings;
  }

  /**
   * @param now seconds since the epoch.
   * @throws {TooManyFailuresError} if the attempt must be refused without a check.
   */
  assertAllowed(attempt: Attempt, now: number): void {
    // The usual case. Only an instance that has seen a failure computes hashes.
    if (this.#counters.size === 0) return;
    const { clientId, clientSecret, source } = attempt;
    const { distinctSecrets, repetitions } = this.#settings;
    this.#assertBelow(nameOf(source, clientId), distinctSecrets, now);
    this.#assertBelow(nameOf(source, clientId, clientSecret), repetitions, now);
  }

  /** Counts a failure. */
  record({ clientId, clientSecret, source }: Attempt, now: number): void {
    const isFirst = this.#count(nameOf(source, clientId, clientSecret), now) === 1;
    if (isFirst) this.#count(nameOf(source, clientId), now);
  }

  #assertBelow(name: string, most: number, now: number): void {
    const counter = this.#live(name, now);
    if (counter !== undefined && counter.count >= most) {
      throw new TooManyFailuresError(counter.endsAt - now);
    }
  }

  #live(name: string, now: number): Counter | undefined {
    const counter = this.#counters.get(name);
    // When the clock is set back, windows must not become longer.
    if (counter === undefined || now >= counter.endsAt) return undefined;
    return counter.endsAt - now <= this.#settings.window ? counter : undefined;
  }

  #count(name: string, now: number): number {
    const known = this.#live(name, now);
    if (known === undefined) this.#makeRoom(name, now);
    const count = (known?.count ?? 0) + 1;
    this.#counters.set(name, { count, endsAt: known?.endsAt ?? now + this.#settings.window });
    return count;
  }

  /** All windows have the same length, so the first in the map ends first. */
  #makeRoom(name: string, now: number): void {
    this.#counters.delete(name);
    for (const [oldest, { endsAt }] of this.#counters) {
      if (now < endsAt && this.#counters.size < this.#settings.capacity) return;
      this.#counters.delete(oldest);
    }
  }
}
