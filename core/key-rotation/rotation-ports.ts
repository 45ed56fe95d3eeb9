import type {
  CanaryFinding,
  PublicationRequest,
  PublicationResult,
} from '../../contract/function-events.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { SigningKeyStore } from '../signing-key/signing-key.ts';
import type { AlgorithmChoice, Heartbeat, KeyIntent, RotationSettings } from './rotation-state.ts';

/** The rotation's own records, stored next to the keys. Every read is strongly consistent. */
export interface RotationStore extends SigningKeyStore {
  listKeyIntents(): Promise<readonly KeyIntent[]>;
  /** @throws {ConflictError} if the slot's stored version is not `intent.version - 1`; 0: none. */
  putKeyIntent(intent: KeyIntent): Promise<void>;

  listHeartbeats(): Promise<readonly Heartbeat[]>;
  putHeartbeat(heartbeat: Heartbeat): Promise<void>;

  findAlgorithmChoice(): Promise<AlgorithmChoice | undefined>;
  putAlgorithmChoice(choice: AlgorithmChoice): Promise<void>;
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
