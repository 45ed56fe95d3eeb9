import { createPublicKey, type KeyObject } from 'node:crypto';
import type { KmsKeySpec } from './key-spec.ts';
import { keySpecs } from './key-spec.ts';

export interface KmsTag {
  readonly TagKey: string;
  readonly TagValue: string;
}

interface KmsGrant {
  readonly GrantId: string;
  readonly GranteePrincipal: string;
  readonly Operations: unknown;
}

/** A key pair with its metadata in KMS. Times are seconds since the epoch. */
export interface KmsKey {
  readonly keyId: string;
  readonly region: string;
  readonly keySpec: string;
  readonly privateKey: KeyObject;
  readonly description: string;
  /** Key policy as JSON text. It is kept, not enforced. */
  readonly policy: string;
  readonly tags: readonly KmsTag[];
  readonly grants?: readonly KmsGrant[] | undefined;
  readonly enabled: boolean;
  readonly createdAt: number;
  /** Set while the key is pending deletion. At this time the key is deleted. */
  readonly deletionDate?: number | undefined;
}

/** The account of the local run. No real account has this number. */
export const localAccountId = '000000000000';

export function keyArn(key: Pick<KmsKey, 'keyId' | 'region'>): string {
  return `arn:aws:kms:${key.region}:${localAccountId}:key/${key.keyId}`;
}

export function keyState(key: KmsKey): 'Enabled' | 'Disabled' | 'PendingDeletion' {
  if (key.deletionDate !== undefined) return 'PendingDeletion';
  return key.enabled ? 'Enabled' : 'Disabled';
}

export function specOf(key: KmsKey): KmsKeySpec {
  const spec = keySpecs.get(key.keySpec);
  if (spec === undefined) throw new Error(`a stored KMS key has the unknown spec ${key.keySpec}`);
  return spec;
}

/** `SubjectPublicKeyInfo` (RFC 5280 §4.1) in base64, as GetPublicKey answers. */
export function publicKeyInfo(key: KmsKey): string {
  return createPublicKey(key.privateKey).export({ type: 'spki', format: 'der' }).toString('base64');
}

/** `KeyMetadata` of the KMS API. */
export function describeKey(key: KmsKey): Readonly<Record<string, unknown>> {
  return {
    AWSAccountId: localAccountId,
    KeyId: key.keyId,
    Arn: keyArn(key),
    CreationDate: key.createdAt,
    Enabled: keyState(key) === 'Enabled',
    Description: key.description,
    KeyUsage: 'SIGN_VERIFY',
    KeyState: keyState(key),
    Origin: 'AWS_KMS',
    KeyManager: 'CUSTOMER',
    CustomerMasterKeySpec: key.keySpec,
    KeySpec: key.keySpec,
    SigningAlgorithms: specOf(key).signingAlgorithms.map(({ name }) => name),
    MultiRegion: false,
    ...(key.deletionDate === undefined ? {} : { DeletionDate: key.deletionDate }),
  };
}
