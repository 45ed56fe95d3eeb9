import { BoundedMap } from '../bounded-map.ts';
import type { Client } from '../client/client.ts';
import { ThrottledError, type ThrottleReason } from '../errors.ts';
import type { SignHistory } from '../signing-key/sign-history.ts';
import type { TokenValues } from './token-values.ts';

interface FairShareSettings {
  /** Whether a client that asks for too much is refused; otherwise the log only says so. */
  readonly isEnforced: boolean;
  /** New tokens in a minute, of each client in this instance. */
  readonly signsPerMinute: number;
}

/** What one client or trunk group requested, and got, weighted by age. */
interface Counts {
  requested: number;
  signed: number;
}

interface ClientCounts extends Counts {
  /** When it began. */
  minute: number;
  signedThisMinute: number;
  signedMinuteBefore: number;
}

const noCounts: Counts = { requested: 0, signed: 0 };

/** Seconds after which a request counts half. */
const halfLife = 30;

/** Half-lives after which weights begin at 1 again: a double holds 1,024. */
const longestScale = 100;

/** What one instance counts: more than it serves in some half-lives. 200 kB together. */
const maxCounted = { clients: 700, trunkGroups: 300 } as const;

/** With fewer requests, no share says anything. */
const leastRequests = 10;

/** Share of what the smaller clients ask below which there is no one to protect. */
const leastOthers = 0.05;

/** Of a steady rate of one a minute, what all earlier requests weigh together. */
const weightOfRate = halfLife / (60 * Math.LN2);

/** What all clients, or all trunk groups, requested and got. */
class Shares<One extends Counts> {
  readonly #counted: BoundedMap<string, One>;
  readonly #none: One;

  constructor(max: number, none: One) {
    this.#counted = new BoundedMap(max);
    this.#none = none;
  }

  /** It becomes the newest in the map, so that many small ones do not displace a large one. */
  count(id: string, weight: number): One {
    const counts = this.#counted.get(id) ?? { ...this.#none };
    this.#counted.set(id, counts);
    counts.requested += weight;
    return counts;
  }

  /** What all requested of which each requested less than so much. */
  requested(below = Number.POSITIVE_INFINITY): number {
    let sum = 0;
    for (const { requested } of this.#counted.values()) if (requested < below) sum += requested;
    return sum;
  }

  /**
   * Whether one requested more than all together that each requested less than half as much, and got
   * as many tokens as they requested. So those of about the same size never throttle each other.
   */
  isAbove({ requested, signed }: Counts, weight: number): boolean {
    const all = this.requested();
    const smaller = this.requested(requested / 2);
    return (
      all >= leastRequests * weight &&
      smaller >= leastOthers * all &&
      requested > smaller &&
      signed >= smaller
    );
  }

  rescale(factor: number): void {
    for (const counts of this.#counted.values()) {
      counts.requested *= factor;
      counts.signed *= factor;
    }
  }
}

/**
 * One client must not take the signatures from all others, nor one customer by many clients. Counts,
 * only in this instance's memory, what each client and each trunk group asks for: an instance does not
 * know how many there are, but each sees a sample of all requests. What is requested is counted and not
 * what was signed, because a share of what is signed shrinks with itself when KMS throttles.
 * `lab/bench/load/fair-share.ts` models what others get.
 */
export class FairShare {
  readonly #settings: FairShareSettings;
  readonly #history: Pick<SignHistory, 'isShort'>;
  readonly #clients = new Shares<ClientCounts>(maxCounted.clients, {
    ...noCounts,
    minute: 0,
    signedThisMinute: 0,
    signedMinuteBefore: 0,
  });
  readonly #trunkGroups = new Shares(maxCounted.trunkGroups, noCounts);
  /** The time of weight 1. Later requests weigh more, so that nothing must be made to decay. */
  #scaleFrom = 0;

  constructor(settings: FairShareSettings, history: Pick<SignHistory, 'isShort'>) {
    this.#settings = settings;
    this.#history = history;
  }

  /**
   * Signs a new token of a client, unless the client or its trunk group asks for too much.
   *
   * @throws {ThrottledError} if it does.
   * @throws what `sign` throws.
   */
  async take<T>(
    { clientId, serviceTrunkGroup }: Pick<Client, 'clientId' | 'serviceTrunkGroup'>,
    { now, log }: Pick<TokenValues, 'now' | 'log'>,
    sign: () => Promise<T>,
  ): Promise<T> {
    const weight = this.#weightAt(now);
    const client = this.#clients.count(clientId, weight);
    const ofClient = this.#findReason(client, now);
    // What a client may not take does not count for its trunk group: others of the group get theirs.
    const isCounted = ofClient === undefined || !this.#settings.isEnforced;
    const trunkGroup = this.#trunkGroups.count(serviceTrunkGroup, isCounted ? weight : 0);
    const isAbove = this.#history.isShort(now) && this.#trunkGroups.isAbove(trunkGroup, weight);
    const reason = ofClient ?? (isAbove ? 'trunk_group_share' : undefined);
    log.largestShare = this.#shareOf(client, weight);
    if (reason !== undefined) {
      log.clientThrottle = reason;
      if (this.#settings.isEnforced) throw new ThrottledError(reason);
    }
    const token = await sign();
    for (const counts of [client, trunkGroup]) counts.signed += this.#weightAt(now);
    client.signedThisMinute += 1;
    return token;
  }

  #findReason(counts: ClientCounts, now: number): ThrottleReason | undefined {
    const minute = now - (now % 60);
    if (counts.minute !== minute) {
      counts.signedMinuteBefore = counts.minute === minute - 60 ? counts.signedThisMinute : 0;
      counts.signedThisMinute = 0;
      counts.minute = minute;
    }
    const restOfMinuteBefore = 1 - (now % 60) / 60;
    const signed = counts.signedThisMinute + counts.signedMinuteBefore * restOfMinuteBefore;
    if (signed >= this.#settings.signsPerMinute) return 'client_signs_per_minute';
    return this.#history.isShort(now) && this.#clients.isAbove(counts, this.#weightAt(now))
      ? 'client_share'
      : undefined;
  }

  /**
   * The client's percentage of all that was requested, when it asks for half of what it may: below
   * that, a few requests of an idle minute would be all.
   */
  #shareOf({ requested }: Counts, weight: number): number | undefined {
    const least = (this.#settings.signsPerMinute / 2) * weightOfRate * weight;
    return requested < least
      ? undefined
      : Math.round((100 * requested) / this.#clients.requested());
  }

  #weightAt(now: number): number {
    if (Math.abs(now - this.#scaleFrom) > longestScale * halfLife) {
      const factor = 2 ** ((this.#scaleFrom - now) / halfLife);
      for (const shares of [this.#clients, this.#trunkGroups]) shares.rescale(factor);
      this.#scaleFrom = now;
    }
    return 2 ** ((now - this.#scaleFrom) / halfLife);
  }
}
