import { Stack, Token, Validations } from 'aws-cdk-lib';
import type { FunctionName } from '../../contract/function-names.ts';
import { kmsDeletionWindowDays, kmsKeyTags } from '../../contract/kms-key.ts';
import {
  type Alg,
  type SigningAlgorithm,
  signingAlgorithms,
} from '../../contract/signing-algorithms.ts';
import type { ServiceFunction } from '../functions/service-function.ts';

/** The KMS keys of the deployment and their properties. */
export interface SigningKeys {
  readonly deploymentName: string;
  readonly algorithms: readonly Alg[];
  /** Names of the tags that each new key has, next to those of the service. */
  readonly tagNames: readonly string[];
}

/** Keys of this account and region. A condition selects the deployment's own. */
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
  // A finding shows a value that is known only at deployment as its pseudo parameter. The partition
  // is such a value unless the caller's app sets the feature flag `enablePartitionLiterals`.
  const partition = Token.isUnresolved(stack.partition) ? '<AWS::Partition>' : stack.partition;
  Validations.of(fn.role).acknowledge({
    id: `AwsSolutions::AwsSolutions-IAM5[Resource::arn:${partition}:kms:${stack.region}:<AWS::AccountId>:key/*]`,
    reason,
  });
}

/** Allows only signing, with the deployment's keys and configured algorithms. */
export function allowSign(fn: ServiceFunction<FunctionName>, keys: SigningKeys): void {
  const kinds = new Map(
    keys.algorithms
      .map((alg): SigningAlgorithm => signingAlgorithms[alg])
      .map((algorithm) => [algorithm.kmsSigningAlgorithm, algorithm.kmsMessageType]),
  );
  for (const [signingAlgorithm, messageType] of kinds) {
    fn.allow(['kms:Sign'], [anyKey(fn)], {
      StringEquals: {
        ...ownKeys(keys),
        'kms:SigningAlgorithm': signingAlgorithm,
        'kms:MessageType': messageType,
      },
    });
  }
  acknowledgeAnyKey(fn, keysByTag);
}

/** Allows creating keys and taking them out of use. It never allows signing. */
export function allowKeyManagement(fn: ServiceFunction<FunctionName>, keys: SigningKeys): void {
  allowCreation(fn, keys);
  allowSearch(fn);
  allowRetirement(fn, keys);
  fn.deny(['kms:Sign', 'kms:CreateGrant', 'kms:PutKeyPolicy'], ['*']);
  denyTagsOfExistingKeys(fn);
  acknowledgeAnyKey(
    fn,
    `${keysByTag} Reading is not limited to the tag: a new tag takes minutes to have an effect, and the rotation reads the key that it has just created.`,
  );
}

function allowCreation(fn: ServiceFunction<FunctionName>, keys: SigningKeys): void {
  const specs = keys.algorithms.map((alg) => signingAlgorithms[alg].kmsKeySpec);
  const kind = { 'kms:KeySpec': [...new Set(specs)], 'kms:KeyUsage': 'SIGN_VERIFY' };
  const tag = { [`aws:RequestTag/${kmsKeyTags.deployment}`]: keys.deploymentName };
  const noOtherTags = {
    'ForAllValues:StringEquals': {
      'aws:TagKeys': [...Object.values(kmsKeyTags), ...keys.tagNames],
    },
  };
  // Imported key material could have copies.
  const material = { 'kms:KeyOrigin': 'AWS_KMS' };
  // A new key has no ARN yet, so both need "*". TagResource is also checked when CreateKey has
  // tags.
  fn.allow(['kms:CreateKey'], ['*'], {
    StringEquals: { ...tag, ...kind, ...material },
    ...noOtherTags,
    Bool: { 'kms:MultiRegion': 'false' },
  });
  // KMS documents these two condition keys of TagResource only for existing keys. CreateKey's own
  // statement limits the keys that it creates.
  fn.allow(['kms:TagResource'], ['*'], {
    StringEquals: tag,
    StringEqualsIfExists: kind,
    ...noOtherTags,
  });
}

/**
 * With the deployment's tag, another key of the account could be disabled. A key that CreateKey is
 * creating has no id and no spec yet (docs/hardening.md: only AWS can show that).
 */
function denyTagsOfExistingKeys(fn: ServiceFunction<FunctionName>): void {
  const ids = ['????????-????-????-????-????????????', 'mrk-*'];
  fn.deny(
    ['kms:TagResource'],
    ids.map((resourceName) =>
      Stack.of(fn).formatArn({ service: 'kms', resource: 'key', resourceName }),
    ),
    { Null: { 'kms:KeySpec': 'false' } },
  );
}

/** Allows looking at all that decides who can sign with a key, before it is published. */
export function allowInspection(fn: ServiceFunction<FunctionName>): void {
  fn.allow(
    [
      'kms:DescribeKey',
      'kms:GetKeyPolicy',
      'kms:GetPublicKey',
      'kms:ListGrants',
      'kms:ListResourceTags',
    ],
    [anyKey(fn)],
  );
}

/** Needed to find a key that was created but never recorded, and to read its public half. */
function allowSearch(fn: ServiceFunction<FunctionName>): void {
  fn.allow(['kms:ListKeys'], ['*']);
  fn.allow(['kms:DescribeKey', 'kms:GetPublicKey', 'kms:ListResourceTags'], [anyKey(fn)]);
}

function allowRetirement(fn: ServiceFunction<FunctionName>, keys: SigningKeys): void {
  fn.allow(['kms:DisableKey'], [anyKey(fn)], { StringEquals: ownKeys(keys) });
  fn.allow(['kms:ScheduleKeyDeletion'], [anyKey(fn)], {
    StringEquals: ownKeys(keys),
    NumericEquals: { 'kms:ScheduleKeyDeletionPendingWindowInDays': String(kmsDeletionWindowDays) },
  });
}
