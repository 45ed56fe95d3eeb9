import type {
  CanaryFinding,
  PublicationRequest,
  PublicationResult,
} from '../../contract/function-events.ts';
import type { RegionId } from '../../contract/regions.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import type { SigningKeyPolicy } from '../../contract/signing-key-policy.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { PublicJwk, SigningKey, SigningKeyStore } from '../signing-key/signing-key.ts';
import type { CanaryRun } from './canary-run.ts';

/**
 * A place in which a key is being created: one per region, and one for the issuer's first key. Two
 * runs, in one region or in two, cannot create a key for the same place.
 */
export type KeySlot = 'first' | RegionId;

/** The intent to create a key, recorded before CreateKey. Times are seconds since the epoch. */
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

/** The rotation's own records, stored next to the keys. Every read is strongly consistent. */
export interface RotationStore extends SigningKeyStore {
  listKeyIntents(): Promise<readonly KeyIntent[]>;
  /** @throws {ConflictError} if the slot's stored version is not `intent.version - 1`; 0: none. */
  putKeyIntent(intent: KeyIntent): Promise<void>;

  listHeartbeats(): Promise<readonly Heartbeat[]>;
  putHeartbeat(heartbeat: Heartbeat): Promise<void>;

  findAlgorithmChoice(): Promise<AlgorithmChoice | undefined>;
  putAlgorithmChoice(choice: AlgorithmChoice): Promise<void>;

  listCanaryRuns(): Promise<readonly CanaryRun[]>;
  putCanaryRun(run: CanaryRun): Promise<void>;
}

/**
 * Signs a canary token with a key, and verifies it with the JWKS of each region in service.
 *
 * @throws {UnavailableError} if the canary itself does not answer.
 */
export type CheckKey = (kid: string) => Promise<readonly CanaryFinding[]>;

/**
 * Asks another role to look at the key of an intent and to publish it. The rotation cannot do this
 * itself.
 *
 * @returns the faults of a key that must never be published; none if it is published.
 * @throws {UnavailableError} if it cannot be published yet.
 */
export type PublishKey = (request: PublicationRequest) => Promise<PublicationResult>;

/** Everything that a run of the rotation calls. */
export interface RotationPorts {
  /** The rotation changes keys, and has no right to add one. */
  readonly store: Omit<RotationStore, 'createSigningKey'>;
  readonly keyManagement: KeyManagement;
  readonly audit: AuditLog;
  readonly checkKey: CheckKey;
  readonly publishKey: PublishKey;
  /** Seconds since the epoch. */
  readonly now: () => number;
  /** A new unique and unguessable id. */
  readonly newId: () => string;
}

/** What one run works with. */
export interface RotationContext {
  readonly ports: RotationPorts;
  readonly settings: RotationSettings;
  /** The actor in the audit log. */
  readonly actor: string;
}

/** A key of this deployment as KMS lists it, with or without a record. */
export interface ManagedKey {
  readonly kmsKeyArn: string;
  /** Id of the intent that was recorded before the key was created. */
  readonly intentId: string;
}

/** `unusable`: any other state, such as that of a key still being created. */
export type ManagedKeyState = 'enabled' | 'disabled' | 'pending_deletion' | 'unusable';

/** What KMS says about one key. Times are seconds since the epoch. */
export interface ManagedKeyDescription {
  readonly kmsKeyArn: string;
  readonly state: ManagedKeyState;
  /** KMS `KeySpec`, e.g. `RSA_2048`. */
  readonly kmsKeySpec: string;
  readonly createdAt: number;
  /** When KMS deletes the key, if that is scheduled. */
  readonly deletionAt?: number | undefined;
}

/**
 * The life cycle of private keys in KMS. It can create and delete keys, and never signs. Every call
 * except `createKey` can be repeated with the same outcome.
 *
 * Every method throws UnavailableError if KMS does not answer in time.
 */
export interface KeyManagement {
  /**
   * Creates a key, tagged with the deployment and the intent. CreateKey has no idempotency token,
   * so it is sent at most once. When the call fails, the key may exist nonetheless; `listKeys` then
   * finds it by its intent.
   *
   * @returns the new key's ARN.
   */
  createKey(request: {
    readonly intentId: string;
    readonly alg: Alg;
    readonly description: string;
  }): Promise<string>;
  /**
   * @returns the public key as DER SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
   * @throws {SigningKeyUnusableError} if the key is missing, disabled or being deleted.
   */
  getPublicKey(kmsKeyArn: string): Promise<Uint8Array>;
  /** @returns undefined if there is no such key (any more). */
  describeKey(kmsKeyArn: string): Promise<ManagedKeyDescription | undefined>;
  /** @throws {SigningKeyUnusableError} if the key is missing or being deleted. */
  disableKey(kmsKeyArn: string): Promise<void>;
  /**
   * Asks KMS to delete a key after its longest waiting time. If the key is gone or already being
   * deleted, the call succeeds.
   */
  scheduleKeyDeletion(kmsKeyArn: string): Promise<void>;
  /**
   * Every key of this deployment in this region by its tags, in no particular order and in any
   * state: keys being deleted are listed too. A new key may be missing for some seconds.
   */
  listKeys(): Promise<readonly ManagedKey[]>;
}

/** All that KMS says of a key that is to be published. */
export interface KeyInspection {
  readonly state: ManagedKeyState;
  /** `KeySpec`, `KeyUsage`, `Origin` and `KeyManager` of KMS. */
  readonly kmsKeySpec: string;
  readonly keyUsage: string;
  readonly origin: string;
  readonly keyManager: string;
  /** Whether the key may have replicas in other AWS regions, each with a policy of its own. */
  readonly isMultiRegion: boolean;
  readonly tags: ReadonlyMap<string, string>;
  /** JSON. */
  readonly policy: string;
  readonly grants: number;
  /** DER SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
}

/** A key may not sign yet: a region does not verify its tokens. */
export class PromotionRefusedError extends Error {
  override readonly name = 'PromotionRefusedError';
  readonly findings: readonly CanaryFinding[];

  constructor(kid: string, findings: readonly CanaryFinding[]) {
    const lagging = findings
      .filter((finding) => !finding.ok)
      .map((finding) => `${finding.region}: ${finding.reason ?? finding.problem ?? 'unknown'}`);
    super(`${kid} may not sign yet: ${lagging.join('; ') || 'no region has proved it'}`);
    this.findings = findings;
  }
}

/** A key is never published: the publisher found that others than the service may sign with it. */
export class PublicationRefusedError extends Error {
  override readonly name = 'PublicationRefusedError';

  constructor(kid: string, kmsKeyArn: string, faults: readonly string[]) {
    super(
      `${kid} (${kmsKeyArn}) is not published, and its deletion is scheduled: ${faults.join('; ')}`,
    );
  }
}

/** The key is in use, or its tokens may not have expired, so it must not be taken out of use. */
export class RetainedKeyError extends Error {
  override readonly name = 'RetainedKeyError';
}
