import { randomUUID } from 'node:crypto';
import { createKey } from './create-key.ts';
import { findKeptKey, findKey, findUsableKey, type KmsContext, listKeysOf } from './find-key.ts';
import { type KmsInput, readNumber, readText } from './input.ts';
import { describeKey, type KmsKey, keyArn, keyState, publicKeyInfo, specOf } from './kms-key.ts';
import { readPage } from './page.ts';
import { sign } from './sign.ts';
import { mergeTags, readTags } from './tags.ts';

type Output = Readonly<Record<string, unknown>>;

/** One operation of the KMS API; undefined answers with an empty body. */
type Operation = (
  input: KmsInput,
  context: KmsContext,
) => Output | undefined | Promise<Output | undefined>;

const daySeconds = 86_400;

function getPublicKey(input: KmsInput, context: KmsContext): Output {
  const key = findUsableKey(input, context);
  return {
    KeyId: keyArn(key),
    PublicKey: publicKeyInfo(key),
    CustomerMasterKeySpec: key.keySpec,
    KeySpec: key.keySpec,
    KeyUsage: 'SIGN_VERIFY',
    SigningAlgorithms: specOf(key).signingAlgorithms.map(({ name }) => name),
  };
}

function setEnabled(input: KmsInput, context: KmsContext, enabled: boolean): undefined {
  context.store.save({ ...findKeptKey(input, context), enabled });
}

function scheduleKeyDeletion(input: KmsInput, context: KmsContext): Output {
  const days = readNumber(input, 'PendingWindowInDays', { min: 7, max: 30, usual: 30 });
  const found = findKeptKey(input, context);
  const key: KmsKey = { ...found, deletionDate: context.now + days * daySeconds };
  context.store.save(key);
  return {
    KeyId: keyArn(key),
    DeletionDate: key.deletionDate,
    KeyState: keyState(key),
    PendingWindowInDays: days,
  };
}

function tagResource(input: KmsInput, context: KmsContext): undefined {
  const added = readTags(input);
  const key = findKeptKey(input, context);
  context.store.save({ ...key, tags: mergeTags(key.tags, added) });
}

function listResourceTags(input: KmsInput, context: KmsContext): Output {
  const tags = findKey(input, context).tags;
  const page = readPage(input, tags, (tag) => tag.TagKey, { usual: 50, max: 50 });
  return { Tags: page.items, ...page.rest };
}

function listKeys(input: KmsInput, context: KmsContext): Output {
  const page = readPage(input, listKeysOf(context), (key) => key.keyId, { usual: 100, max: 1000 });
  const Keys = page.items.map((key) => ({ KeyId: key.keyId, KeyArn: keyArn(key) }));
  return { Keys, ...page.rest };
}

/** Grants are kept and listed, not enforced. */
function createGrant(input: KmsInput, context: KmsContext): Output {
  const key = findKeptKey(input, context);
  const GranteePrincipal = readText(input, 'GranteePrincipal', { min: 1, max: 256 });
  const grant = { GrantId: randomUUID(), GranteePrincipal, Operations: input['Operations'] };
  context.store.save({ ...key, grants: [...(key.grants ?? []), grant] });
  return { GrantId: grant.GrantId, GrantToken: grant.GrantId };
}

function listGrants(input: KmsInput, context: KmsContext): Output {
  const key = findKey(input, context);
  const Grants = (key.grants ?? []).map((grant) => ({ KeyId: keyArn(key), ...grant }));
  return { Grants, Truncated: false };
}

/** The operations that this service uses, by KMS's names. */
export const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['CreateKey', createKey],
  ['DescribeKey', (input, context) => ({ KeyMetadata: describeKey(findKey(input, context)) })],
  [
    'GetKeyPolicy',
    (input, context) => ({ Policy: findKey(input, context).policy, PolicyName: 'default' }),
  ],
  ['CreateGrant', createGrant],
  ['ListGrants', listGrants],
  ['GetPublicKey', getPublicKey],
  ['Sign', sign],
  ['EnableKey', (input, context) => setEnabled(input, context, true)],
  ['DisableKey', (input, context) => setEnabled(input, context, false)],
  ['ScheduleKeyDeletion', scheduleKeyDeletion],
  ['TagResource', tagResource],
  ['ListResourceTags', listResourceTags],
  ['ListKeys', listKeys],
]);
