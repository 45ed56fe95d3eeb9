import type { RegionId } from '../../contract/regions.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import type { SigningKeyPolicy } from '../../contract/signing-key-policy.ts';
import type { PublicJwk, SigningKey } from './signing-key.ts';

/**
 * If a key is being made: one place for each region, and one for the issuer's very first key,
 * so that no two runs, in one region or in two, can make a key for the same place.
 */
export type KeySlot = 'first' | RegionId;

/** The intent to make a key, recorded before KMS is asked to. Times are seconds since the epoch. */
export interface KeyIntent {
  readonly slot: KeySlot;
  /** Tag of the key in KMS, by which it is found if it is never recorded. */
  readonly intentId: string;
  /** Region whose KMS makes the key. */
  readonly regionId: RegionId;
  readonly alg: Alg;
  /** The run that may ask KMS. */
  readonly holder: string;
  /** When another run may take over. */
  readonly leaseUntil: number;
  /** Set once KMS holds the key. */
  readonly kmsKeyArn?: string | undefined;
  /** Set when the key can be published: from then on any run of any region may do so. */
  readonly publicJwk?: PublicJwk | undefined;
  /** Whether the key is published and the slot is free for the next one. */
  readonly closed: boolean;
  /** Grows by one with each change, so that a run which lost its lease cannot write any more. */
  readonly version: number;
}

/** When a region's rotation last ran: a region is in service from its first heartbeat on. */
export interface Heartbeat {
  readonly regionId: RegionId;
  readonly at: number;
}

/** An operator's choice of algorithm. It ends when the deployment config names another. */
export interface AlgorithmChoice {
  readonly alg: Alg;
  /** The configured algorithm that it replaces. */
  readonly insteadOf: Alg;
  readonly chosenAt: number;
}

/** All that a plan depends on, as read from the table and from KMS. */
export interface RotationState {
  readonly keys: readonly SigningKey[];
  readonly intents: readonly KeyIntent[];
  readonly heartbeats: readonly Heartbeat[];
  readonly algorithmChoice?: AlgorithmChoice | undefined;
  /** Kids of this region that KMS will not sign with: disabled, being deleted or gone. */
  readonly unusableKids: ReadonlySet<string>;
}

/** What does not change during a run. */
export interface RotationSettings {
  readonly regionId: RegionId;
  /** Name of this run, which holds the intents that it records. */
  readonly runId: string;
  /** The first signs new keys; the others may be chosen by an operator. */
  readonly algs: readonly [Alg, ...Alg[]];
  readonly policy: SigningKeyPolicy;
}

/** The algorithm that new keys of a deployment have. */
export function wantedAlg(
  algs: readonly [Alg, ...Alg[]],
  choice: AlgorithmChoice | undefined,
): Alg {
  if (choice === undefined || choice.insteadOf !== algs[0]) return algs[0];
  return algs.includes(choice.alg) ? choice.alg : algs[0];
}

/** The key that signs in a region: of several `current` ones, that which was activated last. */
export function findCurrentKey(
  keys: readonly SigningKey[],
  regionId: RegionId,
): SigningKey | undefined {
  return keys
    .filter((key) => key.regionId === regionId && key.state === 'current')
    .sort((a, b) => (b.activatedAt ?? 0) - (a.activatedAt ?? 0) || (a.kid < b.kid ? -1 : 1))[0];
}
