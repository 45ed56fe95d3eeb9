import { AwsError } from '../aws-server/aws-error.ts';
import { type KmsInput, readText } from './input.ts';
import type { KeyStore } from './key-store.ts';
import { notFoundError } from './kms-error.ts';
import { type KmsKey, keyArn, keyState } from './kms-key.ts';

/** The context of an operation. */
export interface KmsContext {
  readonly store: KeyStore;
  /** AWS region of the caller, from the scope of its signature. */
  readonly region: string;
  /** Seconds since the epoch. */
  readonly now: number;
}

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function readKeyId(input: KmsInput, context: KmsContext): string {
  const value = readText(input, 'KeyId', { min: 1, max: 2048 });
  const prefix = keyArn({ keyId: '', region: context.region });
  if (value.startsWith('arn:') && !value.startsWith(prefix)) {
    throw notFoundError(`Invalid arn ${value}`);
  }
  const keyId = value.startsWith(prefix) ? value.slice(prefix.length) : value;
  if (!idPattern.test(keyId)) throw notFoundError(`Invalid keyId '${value}'`);
  return keyId;
}

/** Keys of the caller's region; those whose waiting period is over are deleted first. */
export function listKeysOf(context: KmsContext): readonly KmsKey[] {
  const expired = context.store
    .list()
    .filter((key) => key.deletionDate !== undefined && key.deletionDate <= context.now);
  for (const key of expired) context.store.delete(key.keyId);
  return context.store.list().filter((key) => key.region === context.region);
}

/** The key that `KeyId` names, in any state. */
export function findKey(input: KmsInput, context: KmsContext): KmsKey {
  const keyId = readKeyId(input, context);
  const key = listKeysOf(context).find((candidate) => candidate.keyId === keyId);
  if (key !== undefined) return key;
  throw notFoundError(`Key '${keyArn({ keyId, region: context.region })}' does not exist`);
}

/** The key that `KeyId` names, unless it is pending deletion. */
export function findKeptKey(input: KmsInput, context: KmsContext): KmsKey {
  const key = findKey(input, context);
  if (keyState(key) !== 'PendingDeletion') return key;
  throw new AwsError('KMSInvalidStateException', `${keyArn(key)} is pending deletion.`);
}

/** The key that `KeyId` names, if its material may be used. */
export function findUsableKey(input: KmsInput, context: KmsContext): KmsKey {
  const key = findKeptKey(input, context);
  if (keyState(key) !== 'Disabled') return key;
  throw new AwsError('DisabledException', `${keyArn(key)} is disabled.`);
}
