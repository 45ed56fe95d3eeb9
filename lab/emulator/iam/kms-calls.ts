import type { KmsInput } from '../kms/input.ts';
import { type KmsKey, keyArn, localAccountId } from '../kms/kms-key.ts';
import type { ResourceCall } from './authorizer.ts';
import type { NamedPolicy, PolicyDocument, RequestContext } from './evaluate-request.ts';

/** The id that a key is tagged under while it is being made. */
const newKeyId = '00000000-0000-4000-8000-000000000000';

/** What condition keys and the key policy show of a key. */
export type KmsKeyFacts = Pick<KmsKey, 'keyId' | 'region' | 'keySpec' | 'policy' | 'tags'>;

interface Tag {
  readonly TagKey?: unknown;
  readonly TagValue?: unknown;
}

function requestTags(input: KmsInput): RequestContext {
  const { Tags } = input;
  if (!Array.isArray(Tags) || Tags.length === 0) return {};
  const tags = (Tags as readonly Tag[]).map(({ TagKey, TagValue }) => [
    String(TagKey),
    String(TagValue),
  ]);
  return {
    ...Object.fromEntries(tags.map(([key, value]) => [`aws:RequestTag/${key}`, value ?? ''])),
    'aws:TagKeys': tags.map(([key]) => key ?? ''),
  };
}

function keyContext(key: KmsKeyFacts): RequestContext {
  return {
    'kms:KeySpec': key.keySpec,
    'kms:KeyUsage': 'SIGN_VERIFY',
    'kms:KeyOrigin': 'AWS_KMS',
    'kms:MultiRegion': 'false',
    ...Object.fromEntries(
      key.tags.map(({ TagKey, TagValue }) => [`aws:ResourceTag/${TagKey}`, TagValue]),
    ),
  };
}

/** Condition keys by the member of the request that they show. */
const memberKeys: Readonly<Record<string, string>> = {
  MessageType: 'kms:MessageType',
  PendingWindowInDays: 'kms:ScheduleKeyDeletionPendingWindowInDays',
  SigningAlgorithm: 'kms:SigningAlgorithm',
};

/** KMS's defaults of members that a condition key shows. */
const memberDefaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Sign: { MessageType: 'RAW' },
};

function memberContext(operation: string, input: KmsInput): RequestContext {
  const given = { ...memberDefaults[operation], ...input };
  return Object.fromEntries(
    Object.entries(memberKeys)
      .filter(([member]) => given[member] !== undefined)
      .map(([member, key]) => [key, String(given[member])]),
  );
}

/** A member as a condition key shows it. What has another type is refused by KMS itself. */
function memberText(input: KmsInput, name: string, usual: string): string {
  const value = input[name] ?? usual;
  return typeof value === 'string' || typeof value === 'boolean' ? `${value}` : '';
}

function createKeyContext(input: KmsInput): RequestContext {
  return {
    'kms:KeySpec': memberText(input, 'KeySpec', 'SYMMETRIC_DEFAULT'),
    'kms:KeyUsage': memberText(input, 'KeyUsage', 'ENCRYPT_DECRYPT'),
    'kms:KeyOrigin': memberText(input, 'Origin', 'AWS_KMS'),
    'kms:MultiRegion': memberText(input, 'MultiRegion', 'false'),
    'kms:BypassPolicyLockoutSafetyCheck': memberText(
      input,
      'BypassPolicyLockoutSafetyCheck',
      'false',
    ),
    ...requestTags(input),
  };
}

/**
 * While CreateKey tags the key that it makes, there is no key policy yet: IAM policies decide. The
 * key has no spec yet that a condition could read.
 */
function createKeyCalls(input: KmsInput, region: string): readonly ResourceCall[] {
  const calls = [{ action: 'kms:CreateKey', resource: '*', context: createKeyContext(input) }];
  const tags = requestTags(input);
  if (Object.keys(tags).length === 0) return calls;
  const resource = keyArn({ keyId: newKeyId, region });
  return [...calls, { action: 'kms:TagResource', resource, context: tags, resourcePolicy: iam }];
}

/** A key policy that lets IAM policies decide. */
const iam: NamedPolicy = {
  name: 'key policy (key not made yet)',
  document: {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { AWS: `arn:aws:iam::${localAccountId}:root` },
        Action: 'kms:*',
        Resource: '*',
      },
    ],
  },
};

/**
 * What a request to KMS does, with the condition keys that AWS documents for its actions.
 *
 * @param key which the request names, if it names one.
 */
export function kmsCalls(
  operation: string,
  input: KmsInput,
  region: string,
  key?: KmsKeyFacts,
): readonly ResourceCall[] {
  const caller = { 'kms:CallerAccount': localAccountId };
  const withCaller = (call: ResourceCall): ResourceCall => ({
    ...call,
    context: { ...caller, ...call.context },
  });
  if (operation === 'CreateKey') return createKeyCalls(input, region).map(withCaller);
  const action = `kms:${operation}`;
  if (key === undefined) return [{ action, resource: '*', context: {} }];
  const context = { ...keyContext(key), ...memberContext(operation, input), ...requestTags(input) };
  const resourcePolicy = { name: 'key policy', document: JSON.parse(key.policy) as PolicyDocument };
  return [withCaller({ action, resource: keyArn(key), context, resourcePolicy })];
}
