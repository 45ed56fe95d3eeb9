import { kmsKeyTags } from '../../../../contract/kms-key.ts';
import type { Alg } from '../../../../contract/signing-algorithms.ts';
import { SigningKeyUnusableError } from '../../../../core/errors.ts';
import type {
  KeyInspection,
  KeyManagement,
  ManagedKeyState,
} from '../../../../core/key-rotation/rotation-ports.ts';
import { isModelAlg, kmsKeySpecOf, type ModelAlg, pooledPublicKey } from './public-keys.ts';

interface MemoryKey {
  readonly kmsKeyArn: string;
  readonly intentId: string;
  readonly alg: ModelAlg;
  readonly spki: Uint8Array;
  readonly createdAt: number;
  state: ManagedKeyState;
}

/** What every key of a model's deployment must be like. */
export const modelCustody = { deploymentName: 'model', keyPolicy: { Statement: [] } } as const;

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
  /** Runs before a key is taken out of use. */
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
    if (!isModelAlg(alg)) throw new RangeError(alg);
    const n = this.#counter.made++;
    const kmsKeyArn = `arn:aws:kms:us-west-2:000000000000:key/${this.#regionId}-${n}`;
    const createdAt = this.#now();
    const key = { kmsKeyArn, intentId, alg, spki: pooledPublicKey(alg, n), createdAt };
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
    return { kmsKeyArn, state, createdAt, kmsKeySpec: kmsKeySpecOf(key.alg) };
  };

  /** As KMS describes a key that the rotation made. */
  inspectKey = async (kmsKeyArn: string): Promise<KeyInspection> => {
    const key = this.keys.get(kmsKeyArn);
    if (key === undefined) throw new SigningKeyUnusableError('no such key');
    return {
      state: key.state,
      kmsKeySpec: kmsKeySpecOf(key.alg),
      keyUsage: 'SIGN_VERIFY',
      origin: 'AWS_KMS',
      keyManager: 'CUSTOMER',
      isMultiRegion: false,
      tags: new Map([[kmsKeyTags.deployment, modelCustody.deploymentName]]),
      policy: JSON.stringify(modelCustody.keyPolicy),
      grants: 0,
      spki: key.spki,
    };
  };

  disableKey = async (kmsKeyArn: string) => {
    this.onRemoval(kmsKeyArn, 'disable');
    this.set(kmsKeyArn, 'disabled');
  };

  scheduleKeyDeletion = async (kmsKeyArn: string) => {
    this.onRemoval(kmsKeyArn, 'delete');
    this.set(kmsKeyArn, 'pending_deletion');
  };

  listKeys = async () =>
    [...this.keys.values()].filter((key) => key.createdAt + this.listLag <= this.#now());

  /** Changes a key's state, as someone outside of the rotation can. */
  set(kmsKeyArn: string, state: ManagedKeyState): void {
    const key = this.keys.get(kmsKeyArn);
    if (key === undefined) throw new SigningKeyUnusableError('no such key');
    key.state = state;
  }
}
