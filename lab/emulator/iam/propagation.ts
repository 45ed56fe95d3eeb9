import { createHash } from 'node:crypto';

/** Longest times, in seconds of the clock, until IAM's changes have an effect. */
interface LongestDelays {
  /** Until a policy counts. */
  readonly policy: number;
  /** Until a tag counts. AWS says up to five minutes for tags of KMS keys. */
  readonly tag: number;
}

/** One drawing of the delays. */
export interface Delays {
  /** The same seed gives the same delays. */
  readonly seed: number;
  readonly longest: LongestDelays;
}

/** Hosts of a service, each of which learns of a change at a time of its own. */
const hosts = 2;

/** Shares of the changes that count at once, and only at the last moment. */
const extremes = { early: 0.15, late: 0.85 };

/**
 * IAM is eventually consistent: a new policy or tag counts after a delay. Each service has its own
 * delay for each change. A service has several hosts that differ, so a call may be allowed and the
 * next one denied. What was not announced has counted for long.
 */
export class Propagation {
  readonly #clock: () => number;
  #delays: Delays;
  /** Time of the announcement, in milliseconds, by name. */
  readonly #announced = new Map<string, number>();
  readonly #requests = new Map<string, number>();

  /** @param clock milliseconds. All delays are times of it. */
  constructor(delays: Delays, clock: () => number) {
    this.#delays = delays;
    this.#clock = clock;
  }

  /** Forgets every announcement, and draws other delays. */
  restart(delays: Delays): void {
    this.#delays = delays;
    this.#announced.clear();
    this.#requests.clear();
  }

  /** A policy or a tag is made now. Only its first announcement counts. */
  announce(name: string): void {
    if (!this.#announced.has(name)) this.#announced.set(name, this.#clock());
  }

  /** The host that answers a request: equal requests get different hosts in turn. */
  chooseHost(request: string): number {
    const count = (this.#requests.get(request) ?? 0) + 1;
    this.#requests.set(request, count);
    return Math.floor(this.#draw(`${request} ${count}`) * hosts);
  }

  /** Whether a host of a service knows a policy or a tag. */
  counts(name: string, kind: keyof LongestDelays, service: string, host: number): boolean {
    const announced = this.#announced.get(name);
    if (announced === undefined) return true;
    const share = this.#draw(`${name} ${service} ${host}`);
    const delay = this.#delays.longest[kind] * 1000 * stretch(share);
    return this.#clock() >= announced + delay;
  }

  /** From 0 up to, not including, 1. */
  #draw(text: string): number {
    const digest = createHash('sha256').update(`${this.#delays.seed} ${text}`).digest();
    return digest.readUInt32BE() / 2 ** 32;
  }
}

/** Most delays are in between. Some changes count at once, some after the longest delay. */
function stretch(share: number): number {
  const { early, late } = extremes;
  return Math.min(1, Math.max(0, (share - early) / (late - early)));
}
