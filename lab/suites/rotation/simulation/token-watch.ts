import type { RegionId } from '../../../../contract/regions.ts';

/** What must never happen: the test fails with it. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** What serves a JWKS: an instance of the JWKS function. */
interface JwksServer {
  readonly name: string;
  readonly hasServed: boolean;
  servedSince(kid: string): number | undefined;
}

interface LastToken {
  readonly regionId: RegionId;
  /** When it was signed, in true time. */
  readonly signedAt: number;
  /** When the slowest clock of a verifier shows its `exp`, in true time. */
  readonly end: number;
}

/**
 * Checks every token against every JWKS that was served from A + E + C before its signature to its
 * end, without going through them: what matters is since when each instance has served a key
 * without a break, and when its last token ends.
 */
export class TokenWatch {
  readonly #oldestJwks: number;
  readonly #instances: JwksServer[] = [];
  readonly #last = new Map<string, LastToken>();
  /** Kids whose tokens an operator chose to end, or to issue too early. */
  readonly sacrificed = new Set<string>();
  /** `checks` are pairs of a token and an instance. */
  readonly counts = { tokens: 0, checks: 0, largestJwks: 0 };
  /** Names a key in a message. */
  nameOf: (kid: string) => string = (kid) => kid;

  /** @param oldestJwks A + E + C: the oldest JWKS that a verifier may use. */
  constructor(oldestJwks: number) {
    this.#oldestJwks = oldestJwks;
  }

  add(instance: JwksServer): void {
    this.#instances.push(instance);
  }

  /** Verifiers do not ask an instance any more. */
  remove(instance: JwksServer): void {
    this.#instances.splice(this.#instances.indexOf(instance), 1);
  }

  /** A token was signed now. */
  issued(kid: string, { regionId, signedAt, end }: LastToken): void {
    this.counts.tokens += 1;
    if (this.sacrificed.has(kid)) return;
    for (const instance of this.#instances) {
      this.counts.checks += 1;
      const since = instance.servedSince(kid);
      if (!instance.hasServed) continue;
      if (since !== undefined && since <= signedAt - this.#oldestJwks) continue;
      const served =
        since === undefined ? 'does not serve it' : `has served it for ${signedAt - since} s`;
      throw new Violation(
        `${regionId} signs with ${this.nameOf(kid)}, and ${instance.name} ${served}: verifiers may hold a JWKS that is ${this.#oldestJwks} s old`,
      );
    }
    const last = this.#last.get(kid);
    if (last === undefined || last.end < end) this.#last.set(kid, { regionId, signedAt, end });
  }

  /** An instance serves a JWKS without a key that it had before. */
  gone(kid: string, instance: JwksServer, now: number): void {
    const last = this.#last.get(kid);
    if (last === undefined || last.end <= now || this.sacrificed.has(kid)) return;
    throw new Violation(
      `${instance.name} drops ${this.nameOf(kid)} while a token of ${last.regionId} lives for ${last.end - now} s more`,
    );
  }

  served(size: number, instance: JwksServer, allowed: number): void {
    if (size === 0) throw new Violation(`the JWKS of ${instance.name} is empty`);
    this.counts.largestJwks = Math.max(this.counts.largestJwks, size);
    if (size > allowed) {
      throw new Violation(`the JWKS of ${instance.name} has ${size} keys; allowed: ${allowed}`);
    }
  }
}
