import { lastingArn } from './identity-center.ts';

/**
 * Tags of every signing key in KMS, set once at creation and never changed: when a tag changes, KMS
 * takes minutes to use it for authorization, so no exact permission may depend on a change.
 */
export const kmsKeyTags = {
  /** Value: the deployment's name. Roles select keys by it. */
  deployment: 'authorization-server:deployment',
  /** Value: id of the intent that was recorded before CreateKey; finds a key never recorded. */
  intent: 'authorization-server:intent',
} as const;

/** Days that KMS waits after ScheduleKeyDeletion: its maximum, so that a mistake can be undone. */
export const kmsDeletionWindowDays = 30;

/** One statement of an IAM policy document, in AWS's own spelling. */
export interface PolicyStatement {
  readonly Sid: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Principal: { readonly AWS: string };
  readonly Action: string | readonly string[];
  readonly Resource: '*';
  readonly Condition?: Readonly<
    Record<string, Readonly<Record<string, string | readonly string[]>>>
  >;
}

export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly PolicyStatement[];
}

/** The principals in a signing key's policy. All are ARNs. */
export interface KmsKeyPolicyPrincipals {
  /** `arn:aws:iam::<account>:root`: the account, and in a condition its root user. */
  readonly account: string;
  /** Creates and retires keys. */
  readonly rotationRole: string;
  /** Roles that sign: the token function's and the canary's. */
  readonly signingRoles: readonly string[];
  /** The only principal that may change a key policy; the account's root user if there is none. */
  readonly breakGlassRole?: string | undefined;
}

/**
 * The key policy of a signing key, which CreateKey sends and no one changes later.
 *
 * It opens the key to the account's IAM policies and then takes back what must not depend on them:
 * an administrator's `kms:*` neither signs a token nor retires a key. The denials name the account
 * as principal, because that matches every caller in it, and no other account has access to the
 * key. Exceptions are by `aws:PrincipalArn`, which for a role's session is the role's ARN and stays
 * the same when a role is deleted and created again.
 */
export function kmsKeyPolicy(principals: KmsKeyPolicyPrincipals): PolicyDocument {
  const { account, rotationRole, signingRoles } = principals;
  const breakGlass = lastingArn(principals.breakGlassRole ?? account);
  const condition = breakGlass.includes('?') ? 'ArnNotLike' : 'ArnNotEquals';
  const deny = (
    Sid: string,
    Action: string | readonly string[],
    Condition: NonNullable<PolicyStatement['Condition']>,
  ): PolicyStatement => ({
    Sid,
    Effect: 'Deny',
    Principal: { AWS: account },
    Action,
    Resource: '*',
    Condition,
  });
  const unless = (...arns: readonly string[]) => ({ [condition]: { 'aws:PrincipalArn': arns } });
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Sid: 'AccountDecidesByIam',
        Effect: 'Allow',
        Principal: { AWS: account },
        Action: 'kms:*',
        Resource: '*',
      },
      deny('OnlySigningRolesSign', 'kms:Sign', unless(...signingRoles, breakGlass)),
      deny(
        'OnlyRotationRetires',
        ['kms:DisableKey', 'kms:ScheduleKeyDeletion', 'kms:TagResource', 'kms:UntagResource'],
        unless(rotationRole, breakGlass),
      ),
      deny('DeletionWaits', 'kms:ScheduleKeyDeletion', {
        NumericLessThan: {
          'kms:ScheduleKeyDeletionPendingWindowInDays': String(kmsDeletionWindowDays),
        },
      }),
      deny('OnlyBreakGlassOpens', ['kms:PutKeyPolicy', 'kms:CreateGrant'], unless(breakGlass)),
    ],
  };
}
