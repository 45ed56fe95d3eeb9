import { generateKeyPairSync } from 'node:crypto';
import { type Alg, signingAlgorithms } from '../../../contract/signing-algorithms.ts';
import { SigningKeyUnusableError } from '../../../core/errors.ts';
import type { KeyManagement, ManagedKeyState } from '../../../core/signing-key/key-management.ts';

const curves = { ES256: 'P-256', ES384: 'P-384' } as const;

/** Algorithms that the simulated KMS can make keys for: those whose keys are made fast. */
export type FastAlg = keyof typeof curves;

const pools: Record<FastAlg, Uint8Array[]> = { ES256: [], ES384: [] };

/** The n-th public key of an algorithm: histories share them, since making one takes time. */
function pooledSpki(alg: FastAlg, n: number): Uint8Array {
  const pool = pools[alg];
  while (pool.length <= n) {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: curves[alg] });
    pool.push(publicKey.export({ format: 'der', type: 'spki' }));
  }
  return pool[n] ?? new Uint8Array();
}

export interface MemoryKey {
  readonly kmsKeyArn: string;
  readonly intentId: string;
  readonly alg: FastAlg;
  readonly spki: Uint8Array;
  readonly createdAt: number;
  state: ManagedKeyState;
}

/** How many keys a history has made, over all regions, so that no two share material. */
export interface KeyCounter {
  made: number;
}

/** KMS of one region, without private keys. */
export class MemoryKms implements KeyManagement {
  readonly #regionId: string;
  readonly #now: () => number;
  readonly #counter: KeyCounter;
  readonly keys = new Map<string, MemoryKey>();
  /** Seconds for which a new key is not listed. */
  listLag = 0;
  /** Hears of a key that is about to be taken out of use. */
  onRemoval: (kmsKeyArn: string, how: 'disable' | 'delete') => void = () => {};

  constructor(regionId: string, now: () => number, counter: KeyCounter) {
    this.#regionId = regionId;
    this.#now = now;
    this.#counter = counter;
  }

  canSign(kmsKeyArn: string): boolean {
    return this.keys.get(kmsKeyArn)?.state === 'enabled';
  }

  createKey = async ({ intentId, alg }: { readonly intentId: string; readonly alg: Alg }) => {
    const n = this.#counter.made++;
    const kmsKeyArn = `arn:aws:kms:us-west-2:000000000000:key/${this.#regionId}-${n}`;
    const spki = pooledSpki(alg as FastAlg, n);
    const createdAt = this.#now();
    const key = { kmsKeyArn, intentId, alg: alg as FastAlg, spki, createdAt };
    this.keys.set(kmsKeyArn, { ...key, state: 'enabled' });
    return kmsKeyArn;
  };

  getPublicKey = async (kmsKeyArn: string) => {
    const key = this.keys.get(kmsKeyArn);
    if (key?.state !== 'enabled') throw new SigningKeyUnusableError('no such key');
    return key.spki;
  };

  describeKey = async (kmsKeyArn: string) => {
    const key = this.keys.get(kmsKeyArn);
    if (key === undefined) return undefined;
    const { state, createdAt } = key;
    return { kmsKeyArn, state, createdAt, kmsKeySpec: signingAlgorithms[key.alg].kmsKeySpec };
  };

  disableKey = async (kmsKeyArn: string) => {
    this.onRemoval(kmsKeyArn, 'disable');
    this.#setState(kmsKeyArn, 'disabled');
  };

  scheduleKeyDeletion = async (kmsKeyArn: string) => {
    this.onRemoval(kmsKeyArn, 'delete');
    this.#setState(kmsKeyArn, 'pending_deletion');
  };

  listKeys = async () =>
    [...this.keys.values()].filter((key) => key.createdAt + this.listLag <= this.#now());

  /** Somebody outside the rotation disables a key. */
  sabotage(kmsKeyArn: string): void {
    this.#setState(kmsKeyArn, 'disabled');
  }

  #setState(kmsKeyArn: string, state: ManagedKeyState): void {
    const key = this.keys.get(kmsKeyArn);
    if (key === undefined) throw new SigningKeyUnusableError('no such key');
    key.state = state;
  }
}
