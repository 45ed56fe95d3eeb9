import { Stack, Token, Validations } from 'aws-cdk-lib';
import type { FunctionName } from '../../contract/environment.ts';
import { kmsDeletionWindowDays, kmsKeyTags } from '../../contract/kms-key.ts';
import {
  type Alg,
  type SigningAlgorithm,
  signingAlgorithms,
} from '../../contract/signing-algorithms.ts';
import type { ServiceFunction } from '../functions/service-function.ts';

/** Which keys of KMS belong to the deployment, and what they are. */
export interface SigningKeys {
  readonly deploymentName: string;
  readonly algorithms: readonly Alg[];
}

/** Keys of this account and region; which of them, a condition says. */
function anyKey(fn: ServiceFunction<FunctionName>): string {
  return Stack.of(fn).formatArn({ service: 'kms', resource: 'key', resourceName: '*' });
}

function ownKeys(keys: SigningKeys): Readonly<Record<string, string>> {
  return { [`aws:ResourceTag/${kmsKeyTags.deployment}`]: keys.deploymentName };
}

const keysByTag =
  'Signing keys are created after the stack, so it cannot contain their ARNs: the statement applies to keys of this account and region that have the deployment tag.';

function acknowledgeAnyKey(fn: ServiceFunction<FunctionName>, reason: string): void {
  const stack = Stack.of(fn);
  // A finding names a value that only the deployment knows by its pseudo parameter. The partition is
  // one unless the app of the caller has the feature flag `enablePartitionLiterals`.
  const partition = Token.isUnresolved(stack.partition) ? '<AWS::Partition>' : stack.partition;
  Validations.of(fn.role).acknowledge({
    id: `AwsSolutions::AwsSolutions-IAM5[Resource::arn:${partition}:kms:${stack.region}:<AWS::AccountId>:key/*]`,
    reason,
  });
}

/** Allows signing, and nothing else, with the deployment's keys and configured algorithms. */
export function allowSign(fn: ServiceFunction<FunctionName>, keys: SigningKeys): void {
  const kinds = new Map(
    keys.algorithms
      .map((alg): SigningAlgorithm => signingAlgorithms[alg])
      .map((algorithm) => [algorithm.kmsSigningAlgorithm, algorithm.kmsMessageType]),
  );
  for (const [signingAlgorithm, messageType] of kinds) {
    fn.allow({
      actions: ['kms:Sign'],
      resources: [anyKey(fn)],
      conditions: {
        StringEquals: {
          ...ownKeys(keys),
          'kms:SigningAlgorithm': signingAlgorithm,
          'kms:MessageType': messageType,
        },
      },
    });
  }
  acknowledgeAnyKey(fn, keysByTag);
}

/** Allows making keys and taking them out of use; never signing. */
export function allowKeyManagement(fn: ServiceFunction<FunctionName>, keys: SigningKeys): void {
  allowCreation(fn, keys);
  allowInspection(fn);
  allowRetirement(fn, keys);
  fn.deny({ actions: ['kms:Sign', 'kms:CreateGrant', 'kms:PutKeyPolicy'], resources: ['*'] });
  acknowledgeAnyKey(
    fn,
    `${keysByTag} Reading is not limited to the tag: a fresh tag takes minutes to count, and the rotation reads the key that it has just made.`,
  );
}

function allowCreation(fn: ServiceFunction<FunctionName>, keys: SigningKeys): void {
  const specs = keys.algorithms.map((alg) => signingAlgorithms[alg].kmsKeySpec);
  const kind = { 'kms:KeySpec': [...new Set(specs)], 'kms:KeyUsage': 'SIGN_VERIFY' };
  const tag = { [`aws:RequestTag/${kmsKeyTags.deployment}`]: keys.deploymentName };
  const noOtherTags = {
    'ForAllValues:StringEquals': { 'aws:TagKeys': Object.values(kmsKeyTags) },
  };
  // Key material that was imported could have copies.
  const material = { 'kms:KeyOrigin': 'AWS_KMS' };
  // A new key has no ARN yet, so both take "*"; TagResource counts when CreateKey carries tags.
  fn.allow({
    actions: ['kms:CreateKey'],
    resources: ['*'],
    conditions: {
      StringEquals: { ...tag, ...kind, ...material },
      ...noOtherTags,
      Bool: { 'kms:MultiRegion': 'false' },
    },
  });
  // KMS documents these two keys of TagResource for a key that exists, and none does while
  // CreateKey is decided; what is made there, CreateKey's own statement limits.
  fn.allow({
    actions: ['kms:TagResource'],
    resources: ['*'],
    conditions: { StringEquals: tag, StringEqualsIfExists: kind, ...noOtherTags },
  });
}

/** What finds a key that was made but never recorded, and reads its public half. */
function allowInspection(fn: ServiceFunction<FunctionName>): void {
  fn.allow({ actions: ['kms:ListKeys'], resources: ['*'] });
  fn.allow({
    actions: ['kms:DescribeKey', 'kms:GetPublicKey', 'kms:ListResourceTags'],
    resources: [anyKey(fn)],
  });
}

function allowRetirement(fn: ServiceFunction<FunctionName>, keys: SigningKeys): void {
  fn.allow({
    actions: ['kms:DisableKey'],
    resources: [anyKey(fn)],
    conditions: { StringEquals: ownKeys(keys) },
  });
  fn.allow({
    actions: ['kms:ScheduleKeyDeletion'],
    resources: [anyKey(fn)],
    conditions: {
      StringEquals: ownKeys(keys),
      NumericEquals: {
        'kms:ScheduleKeyDeletionPendingWindowInDays': String(kmsDeletionWindowDays),
      },
    },
  });
}
