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

/**
 * One client must not take the signatures from all others, nor one customer by many clients. Counts,
 * only in this instance's memory, what each client and each trunk group asks for: an instance does not know how many there are, but each sees a sample of all
 * requests. What is requested is counted and not what was signed, because a share of what is signed
 * shrinks with itself when KMS throttles. `lab/bench/load/fair-share.ts` models what others get.
 */
export class FairShare {
  readonly #settings: FairShareSettings;
  readonly #history: Pick<SignHistory, 'isShort'>;
  readonly #clients = new BoundedMap<string, ClientCounts>(maxCounted.clients);
  readonly #trunkGroups = new BoundedMap<string, Counts>(maxCounted.trunkGroups);
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
    const client = this.#countClient(clientId, now);
    const ofClient = this.#findReason(client, now);
    // What a client may not take does not count for its trunk group: others of the group get theirs.
    const isCounted = ofClient === undefined || !this.#settings.isEnforced;
    const trunkGroup = this.#countTrunkGroup(
      serviceTrunkGroup,
      isCounted ? this.#weightAt(now) : 0,
    );
    const isAbove =
      this.#history.isShort(now) && this.#isAboveShare(this.#trunkGroups, trunkGroup, now);
    const reason = ofClient ?? (isAbove ? 'trunk_group_share' : undefined);
    log.largestShare = this.#shareOf(client, now);
    if (reason !== undefined) {
      log.clientThrottle = reason;
      if (this.#settings.isEnforced) throw new ThrottledError(reason);
    }
    const token = await sign();
    for (const counts of [client, trunkGroup]) counts.signed += this.#weightAt(now);
    client.signedThisMinute += 1;
    return token;
  }

  #countTrunkGroup(serviceTrunkGroup: string, weight: number): Counts {
    const counts = this.#trunkGroups.get(serviceTrunkGroup) ?? { requested: 0, signed: 0 };
    this.#trunkGroups.set(serviceTrunkGroup, counts);
    counts.requested += weight;
    return counts;
  }

  #countClient(clientId: string, now: number): ClientCounts {
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
    return this.#history.isShort(now) && this.#isAboveShare(this.#clients, counts, now)
      ? 'client_share'
      : undefined;
  }

  /**
   * Whether one requested more than all together that each requested less than half as much, and got
   * as many tokens as they requested. So those of about the same size never throttle each other.
   */
  #isAboveShare(
    counted: ReadonlyMap<string, Counts>,
    { requested, signed }: Counts,
    now: number,
  ): boolean {
    const all = requestedBelow(counted);
    const smaller = requestedBelow(counted, requested / 2);
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
  #shareOf({ requested }: Counts, now: number): number | undefined {
    const least = (this.#settings.signsPerMinute / 2) * weightOfRate * this.#weightAt(now);
    if (requested < least) return undefined;
    return Math.round((100 * requested) / requestedBelow(this.#clients));
  }

  #weightAt(now: number): number {
    if (Math.abs(now - this.#scaleFrom) > longestScale * halfLife) {
      const factor = 2 ** ((this.#scaleFrom - now) / halfLife);
      for (const counted of [this.#clients, this.#trunkGroups]) {
        for (const counts of counted.values()) {
          counts.requested *= factor;
          counts.signed *= factor;
        }
      }
      this.#scaleFrom = now;
    }
    return 2 ** ((now - this.#scaleFrom) / halfLife);
  }
}

/** What all requested that each requested less, or all. */
function requestedBelow(
  counted: ReadonlyMap<string, Counts>,
  most = Number.POSITIVE_INFINITY,
): number {
  let sum = 0;
  for (const { requested } of counted.values()) if (requested < most) sum += requested;
  return sum;
}
