import { type KmsInput, readFlag, readOptionalText } from './input.ts';
import { KmsError } from './kms-error.ts';
import { localAccountId } from './kms-key.ts';

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
    throw new KmsError('MalformedPolicyDocumentException', 'Policy contains invalid JSON');
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
export function readKeyPolicy(input: KmsInput): string {
  const policy = readOptionalText(input, 'Policy', { min: 1, max: 32_768 }) ?? defaultPolicy;
  if (!canBeChanged(policy) && !readFlag(input, 'BypassPolicyLockoutSafetyCheck')) {
    throw new KmsError(
      'MalformedPolicyDocumentException',
      'The new key policy will not allow you to update the key policy in the future.',
    );
  }
  return policy;
}
