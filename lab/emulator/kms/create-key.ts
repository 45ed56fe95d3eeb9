import { randomUUID } from 'node:crypto';
import { AwsError } from '../aws-server/aws-error.ts';
import type { KmsContext } from './find-key.ts';
import { type KmsInput, readChoice, readFlag, readOptionalText } from './input.ts';
import { keySpecs } from './key-spec.ts';
import { describeKey, localAccountId } from './kms-key.ts';
import { readTags } from './tags.ts';

interface Statement {
  readonly Effect?: unknown;
  readonly Action?: unknown;
}

const defaultPolicy = JSON.stringify({
  Version: '2012-10-17',
  Id: 'key-default-1',
  Statement: [
    {
      Sid: 'Enable IAM User Permissions',
      Effect: 'Allow',
      Principal: { AWS: `arn:aws:iam::${localAccountId}:root` },
      Action: 'kms:*',
      Resource: '*',
    },
  ],
});

/** Actions that let a principal change the key policy later. */
const policyChanges = new Set(['*', 'kms:*', 'kms:Put*', 'kms:PutKeyPolicy']);

function statementsOf(policy: string): readonly Statement[] {
  try {
    const document = JSON.parse(policy) as { readonly Statement?: unknown };
    return [document.Statement ?? []].flat();
  } catch {
    throw new AwsError('MalformedPolicyDocumentException', 'Policy contains invalid JSON');
  }
}

function canBeChanged(policy: string): boolean {
  return statementsOf(policy)
    .filter((statement) => statement.Effect === 'Allow')
    .some((statement) => [statement.Action].flat().some((name) => policyChanges.has(String(name))));
}

/**
 * The members `Policy` and `BypassPolicyLockoutSafetyCheck` of CreateKey. The policy is stored but
 * not enforced here. A policy under which no one could change the policy is refused, unless the
 * check is bypassed.
 */
function readKeyPolicy(input: KmsInput): string {
  const policy = readOptionalText(input, 'Policy', { min: 1, max: 32_768 }) ?? defaultPolicy;
  if (!canBeChanged(policy) && !readFlag(input, 'BypassPolicyLockoutSafetyCheck')) {
    throw new AwsError(
      'MalformedPolicyDocumentException',
      'The new key policy will not allow you to update the key policy in the future.',
    );
  }
  return policy;
}

export async function createKey(
  input: KmsInput,
  context: KmsContext,
): Promise<Readonly<Record<string, unknown>>> {
  const keySpec = readChoice(input, 'KeySpec', new Set(keySpecs.keys()));
  readChoice(input, 'KeyUsage', new Set(['SIGN_VERIFY']));
  const spec = keySpecs.get(keySpec);
  if (spec === undefined || readFlag(input, 'MultiRegion')) {
    throw new AwsError(
      'UnsupportedOperationException',
      'the local KMS makes single-Region signing keys',
    );
  }
  const details = {
    description: readOptionalText(input, 'Description', { max: 8192 }) ?? '',
    policy: readKeyPolicy(input),
    tags: readTags(input),
  };
  const { privateKey } = await spec.generate();
  const key = {
    ...details,
    keyId: randomUUID(),
    region: context.region,
    keySpec,
    privateKey,
    enabled: true,
    createdAt: context.now,
  };
  context.store.save(key);
  return { KeyMetadata: describeKey(key) };
}
