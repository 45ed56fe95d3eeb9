import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import { verifierLeeway } from '../../contract/bounds.ts';
import type { ProofAlg } from '../../contract/proof-algorithms.ts';
import { BoundedMap, remember } from '../bounded-map.ts';
import type { CallerKey } from '../jws/caller-key.ts';

/** Proofs that a process remembers: those of 1,200 requests a second. About 15 MB. */
const rememberedProofs = 100_000;

/**
 * Share of them that one client can take, with however many keys, and one trunk group, with however
 * many clients. No caller pushes out or locks out those of another.
 */
const shares = { client: 0.1, trunkGroup: 0.3 } as const;
const kinds = ['client', 'trunkGroup'] as const;

type Holders = Readonly<Record<keyof typeof shares, string>>;

/** Imported keys that a process keeps: an import costs a third of a check. */
const rememberedKeys = 1000;

/** Seconds for which a nonce is accepted. */
const nonceLife = 300;

/** Nonces that any process with the key makes and checks, without a memory (RFC 9449 §8, §9). */
export class ProofNonces {
  readonly #key: Uint8Array;

  /** @param key 32 random bytes that all processes of the API share. */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** @param now seconds since the epoch. */
  make(now: number): string {
    const time = Buffer.alloc(4);
    time.writeUInt32BE(now);
    return Buffer.concat([time, this.#sign(time)]).toString('base64url');
  }

  accepts(nonce: unknown, now: number): boolean {
    if (typeof nonce !== 'string') return false;
    const bytes = Buffer.from(nonce, 'base64url');
    const time = bytes.subarray(0, 4);
    const signature = this.#sign(time);
    if (bytes.length !== time.length + signature.length) return false;
    if (!timingSafeEqual(bytes.subarray(4), signature)) return false;
    const age = now - time.readUInt32BE();
    return age >= -verifierLeeway && age <= nonceLife;
  }

  #sign(time: Uint8Array): Uint8Array {
    return createHmac('sha256', this.#key).update(time).digest().subarray(0, 16);
  }
}

/** Who answers for a proof: a client that is authenticated, or the one of a verified token. */
export interface ProofHolder {
  readonly issuer?: string;
  readonly clientId: string;
  readonly serviceTrunkGroup: string;
}

/** A proof that was accepted, and who has it in a share. */
interface Seen {
  readonly holders: Holders;
  readonly name: string;
}

/** Whether a proof may be accepted: `full` if its holder has as many as one may have. */
type Admission = 'first' | 'replayed' | 'full';

/**
 * What a process remembers of proofs. A proof is remembered for as long as it would be accepted,
 * and none is forgotten before: without room, new proofs are refused.
 */
export class ProofMemory {
  readonly nonces: ProofNonces | undefined;
  readonly #keys = new BoundedMap<string, KeyObject>(rememberedKeys);
  readonly #capacity: number;
  readonly #seen = new Set<string>();
  readonly #counts = { client: new Map<string, number>(), trunkGroup: new Map<string, number>() };
  /** By the second at whose end they are no longer accepted. */
  readonly #ends = new Map<number, Seen[]>();
  #cleanedAt = 0;

  constructor(nonces?: ProofNonces, capacity: number = rememberedProofs) {
    this.nonces = nonces;
    this.#capacity = capacity;
  }

  importKey(jwk: CallerKey, alg: ProofAlg): KeyObject {
    return remember(this.#keys, `${alg} ${jwk.thumbprint}`, () => jwk.toKey(alg));
  }

  /**
   * Remembers a proof.
   *
   * @param until last second in which the proof would be accepted.
   */
  admit(
    proof: { readonly holder: ProofHolder; readonly id: string },
    until: number,
    now: number,
  ): Admission {
    this.#forget(now);
    const { issuer = '', clientId, serviceTrunkGroup } = proof.holder;
    const client = `${issuer} ${clientId}`;
    const name = hash('sha256', `${client} ${proof.id}`, 'base64url');
    if (this.#seen.has(name)) return 'replayed';
    const holders: Holders = { client, trunkGroup: serviceTrunkGroup };
    const isFull = kinds.some(
      (kind) => (this.#counts[kind].get(holders[kind]) ?? 0) >= this.#capacity * shares[kind],
    );
    if (isFull || this.#seen.size >= this.#capacity) return 'full';
    this.#seen.add(name);
    this.#count(holders, 1);
    const sameEnd = this.#ends.get(until) ?? [];
    sameEnd.push({ holders, name });
    this.#ends.set(until, sameEnd);
    return 'first';
  }

  #count(holders: Holders, change: 1 | -1): void {
    for (const kind of kinds) {
      const counts = this.#counts[kind];
      const count = (counts.get(holders[kind]) ?? 0) + change;
      if (count > 0) counts.set(holders[kind], count);
      else counts.delete(holders[kind]);
    }
  }

  #forget(now: number): void {
    if (now <= this.#cleanedAt) return;
    this.#cleanedAt = now;
    for (const [until, ended] of this.#ends) {
      if (until >= now) continue;
      this.#ends.delete(until);
      for (const { holders, name } of ended) {
        this.#seen.delete(name);
        this.#count(holders, -1);
      }
    }
  }
}
