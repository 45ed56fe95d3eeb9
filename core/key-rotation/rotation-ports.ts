import type {
  CanaryFinding,
  PublicationRequest,
  PublicationResult,
} from '../../contract/function-events.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { SigningKeyStore } from '../signing-key/signing-key-store.ts';
import type { KeyManagement } from './key-management.ts';
import type { AlgorithmChoice, Heartbeat, KeyIntent } from './rotation-state.ts';

/** The rotation's own records, stored next to the keys. Every read is strongly consistent. */
export interface RotationStore extends SigningKeyStore {
  listKeyIntents(): Promise<readonly KeyIntent[]>;
  /** @throws {ConflictError} if the slot has an intent. */
  createKeyIntent(intent: KeyIntent): Promise<void>;
  /** @throws {ConflictError} if the stored version is not `intent.version - 1`. */
  replaceKeyIntent(intent: KeyIntent): Promise<void>;

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
export type ProveKey = (kid: string) => Promise<readonly CanaryFinding[]>;

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
  readonly proveKey: ProveKey;
  readonly publishKey: PublishKey;
  /** Seconds since the epoch. */
  readonly now: () => number;
  /** A new unique and unguessable id. */
  readonly newId: () => string;
}
