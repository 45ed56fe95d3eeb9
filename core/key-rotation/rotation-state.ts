import type { RegionId } from '../../contract/regions.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import type { SigningKeyPolicy } from '../../contract/signing-key-policy.ts';
import type { PublicJwk, SigningKey } from '../signing-key/signing-key.ts';

/**
 * A place in which a key is being created: one per region, and one for the issuer's first key. Two
 * runs, in one region or in two, cannot create a key for the same place.
 */
export type KeySlot = 'first' | RegionId;

/**
 * The intent to create a key, recorded before CreateKey is called. Times are seconds since the
 * epoch.
 */
export interface KeyIntent {
  readonly slot: KeySlot;
  /** Tag of the key in KMS. If the key is never recorded, it is found by this tag. */
  readonly intentId: string;
  /** Region in whose KMS the key is created. */
  readonly regionId: RegionId;
  readonly alg: Alg;
  /** The run that may call KMS. */
  readonly holder: string;
  /** When another run may take over. */
  readonly leaseUntil: number;
  /** Set when KMS holds the key. */
  readonly kmsKeyArn?: string | undefined;
  /** Set when the key can be published. From then on, any run of its region may ask for it. */
  readonly publicJwk?: PublicJwk | undefined;
  /** Whether the key is published and the slot is free for the next one. */
  readonly closed: boolean;
  /** Grows by one with each change. A run that lost its lease can no longer write. */
  readonly version: number;
}

/** When a region's rotation last ran. A region is in service from its first heartbeat on. */
export interface Heartbeat {
  readonly regionId: RegionId;
  readonly at: number;
}

/**
 * An operator's choice of algorithm. It ends when the algorithm of the deployment config changes.
 */
export interface AlgorithmChoice {
  readonly alg: Alg;
  /** The configured algorithm that it replaces. */
  readonly insteadOf: Alg;
  readonly chosenAt: number;
}

/** Everything that a plan depends on, read from the table and from KMS. */
export interface RotationState {
  readonly keys: readonly SigningKey[];
  readonly intents: readonly KeyIntent[];
  readonly heartbeats: readonly Heartbeat[];
  readonly algorithmChoice?: AlgorithmChoice | undefined;
  /** Kids of this region that KMS will not sign with: disabled, being deleted or gone. */
  readonly unusableKids: ReadonlySet<string>;
}

/** Values that stay the same during a run. */
export interface RotationSettings {
  readonly regionId: RegionId;
  /** Name of this run, which holds the intents that it records. */
  readonly runId: string;
  /** The first signs new keys; the others may be chosen by an operator. */
  readonly algs: readonly [Alg, ...Alg[]];
  readonly policy: SigningKeyPolicy;
}

/**
 * How long ago the newest write of another region that this region can see was made. That is the
 * replication lag plus up to one interval of the rotation, which writes a heartbeat in each run.
 * One other region is enough to show that writes arrive. 0 if there is no other region.
 *
 * @param heartbeats as an eventually consistent read of this region shows them.
 * @param now seconds since the epoch.
 * @returns seconds.
 */
export function replicationLag(
  own: RegionId,
  heartbeats: readonly Heartbeat[],
  now: number,
): number {
  const others = heartbeats.filter(({ regionId }) => regionId !== own).map(({ at }) => at);
  return others.length === 0 ? 0 : Math.max(0, now - Math.max(...others));
}
