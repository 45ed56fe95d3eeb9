import { BoundedMap } from '../bounded-map.ts';
import { ThrottledError, type ThrottleReason } from '../errors.ts';
import type { SignHistory } from '../signing-key/sign-history.ts';
import type { TokenValues } from './token-values.ts';

interface FairShareSettings {
  /** Whether a client that asks for too much is refused; otherwise the log only says so. */
  readonly isEnforced: boolean;
  /** New tokens in a minute, of each client in this instance. */
  readonly signsPerMinute: number;
}

/** What one client requested, and got. */
interface ClientCounts {
  /** Weighted by age. */
  requested: number;
  /** Weighted by age. */
  signed: number;
  /** When it began. */
  minute: number;
  signedThisMinute: number;
  signedMinuteBefore: number;
}

/** Seconds after which a request counts half. */
const halfLife = 30;

/** Half-lives after which weights begin at 1 again: a double holds 1,024. */
const longestScale = 100;

/** Clients that one instance counts: more than an instance serves in some half-lives. 200 kB. */
const maxCountedClients = 1000;

/** With fewer requests, no share says anything. */
const leastRequests = 10;

/** Share of what the smaller clients ask below which there is no one to protect. */
const leastOthers = 0.05;

/** Of a steady rate of one a minute, what all earlier requests weigh together. */
const weightOfRate = halfLife / (60 * Math.LN2);

/**
 * One client must not take the signatures from all others. Counts, only in this instance's memory,
 * what each client asks for: an instance does not know how many there are, but each sees a sample of all
 * requests. What is requested is counted and not what was signed, because a share of what is signed
 * shrinks with itself when KMS throttles. `lab/bench/load/fair-share.ts` models what others get.
 */
export class FairShare {
  readonly #settings: FairShareSettings;
  readonly #history: Pick<SignHistory, 'isShort'>;
  readonly #clients = new BoundedMap<string, ClientCounts>(maxCountedClients);
  /** The time of weight 1. Later requests weigh more, so that nothing must be made to decay. */
  #scaleFrom = 0;

  constructor(settings: FairShareSettings, history: Pick<SignHistory, 'isShort'>) {
    this.#settings = settings;
    this.#history = history;
  }

  /**
   * Signs a new token of a client, unless the client asks for too much.
   *
   * @throws {ThrottledError} if it does.
   * @throws what `sign` throws.
   */
  async take<T>(
    clientId: string,
    { now, log }: Pick<TokenValues, 'now' | 'log'>,
    sign: () => Promise<T>,
  ): Promise<T> {
    const counts = this.#count(clientId, now);
    const reason = this.#findReason(counts, now);
    log.largestShare = this.#shareOf(counts, now);
    if (reason !== undefined) {
      log.clientThrottle = reason;
      if (this.#settings.isEnforced) throw new ThrottledError(reason);
    }
    const token = await sign();
    counts.signed += this.#weightAt(now);
    counts.signedThisMinute += 1;
    return token;
  }

  #count(clientId: string, now: number): ClientCounts {
    const weight = this.#weightAt(now);
    const minute = now - (now % 60);
    const counts = this.#clients.get(clientId) ?? {
      requested: 0,
      signed: 0,
      minute,
      signedThisMinute: 0,
      signedMinuteBefore: 0,
    };
    // The newest in the map, so that many small clients do not displace a large one.
    this.#clients.set(clientId, counts);
    counts.requested += weight;
    if (counts.minute !== minute) {
      counts.signedMinuteBefore = counts.minute === minute - 60 ? counts.signedThisMinute : 0;
      counts.signedThisMinute = 0;
      counts.minute = minute;
    }
    return counts;
  }

  #findReason(counts: ClientCounts, now: number): ThrottleReason | undefined {
    const restOfMinuteBefore = 1 - (now % 60) / 60;
    const signed = counts.signedThisMinute + counts.signedMinuteBefore * restOfMinuteBefore;
    if (signed >= this.#settings.signsPerMinute) return 'client_signs_per_minute';
    return this.#history.isShort(now) && this.#isAboveShare(counts, now)
      ? 'client_share'
      : undefined;
  }

  /**
   * Whether the client requested more than all clients together that each requested less than half
   * as much, and got as many tokens as they requested. So clients of about the same size never
   * throttle each other.
   */
  #isAboveShare({ requested, signed }: ClientCounts, now: number): boolean {
    const all = this.#requestedBelow();
    const smaller = this.#requestedBelow(requested / 2);
    return (
      all >= leastRequests * this.#weightAt(now) &&
      smaller >= leastOthers * all &&
      requested > smaller &&
      signed >= smaller
    );
  }

  /**
   * The client's percentage of all that was requested, when it asks for half of what it may: below
   * that, a few requests of an idle minute would be all.
   */
  #shareOf({ requested }: ClientCounts, now: number): number | undefined {
    const least = (this.#settings.signsPerMinute / 2) * weightOfRate * this.#weightAt(now);
    if (requested < least) return undefined;
    return Math.round((100 * requested) / this.#requestedBelow());
  }

  /** What all clients requested that each requested less, or all. */
  #requestedBelow(most = Number.POSITIVE_INFINITY): number {
    let sum = 0;
    for (const { requested } of this.#clients.values()) if (requested < most) sum += requested;
    return sum;
  }

  #weightAt(now: number): number {
    if (Math.abs(now - this.#scaleFrom) > longestScale * halfLife) {
      const factor = 2 ** ((this.#scaleFrom - now) / halfLife);
      for (const counts of this.#clients.values()) {
        counts.requested *= factor;
        counts.signed *= factor;
      }
      this.#scaleFrom = now;
    }
    return 2 ** ((now - this.#scaleFrom) / halfLife);
  }
}
