import type { Principal } from './authorizer.ts';
import type { NamedPolicy, RequestContext } from './evaluate-request.ts';

/** `AdministratorAccess`, which is a managed policy of AWS. Key policies limit it. */
export const administratorAccess: NamedPolicy = {
  name: 'AdministratorAccess',
  document: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] },
};

/** Condition keys of every request of a principal. */
function principalContext(arn: string, type: 'AssumedRole' | 'User'): RequestContext {
  return {
    'aws:PrincipalArn': arn,
    'aws:PrincipalAccount': arn.split(':')[4] ?? '',
    'aws:PrincipalType': type,
    'aws:SecureTransport': 'true',
    'aws:ViaAWSService': 'false',
  };
}

/** A user that has one policy. */
export function userPrincipal(arn: string, policy: NamedPolicy): Principal {
  return { arn, policies: [policy], context: principalContext(arn, 'User') };
}

/** A role, and what IAM knows of it. */
export interface Role {
  readonly arn: string;
  readonly policies: readonly NamedPolicy[];
  readonly boundary?: NamedPolicy | undefined;
}

/** Lambda names the session of a role after the function. */
export function sessionPrincipal(role: Role, functionName: string): Principal {
  const { arn, policies, boundary } = role;
  const name = arn.split('/').at(-1) ?? '';
  const account = arn.split(':')[4] ?? '';
  return {
    arn: `arn:aws:sts::${account}:assumed-role/${name}/${functionName}`,
    policies,
    boundary,
    context: principalContext(arn, 'AssumedRole'),
  };
}

/**
 * A function that calls AWS with the credentials of its role.
 *
 * @param functionArn with or without a version. Lambda puts the ARN without it in the context.
 */
export function functionPrincipal(role: Role, functionArn: string): Principal {
  const arn = functionArn.split(':').slice(0, 7).join(':');
  const session = sessionPrincipal(role, arn.split(':')[6] ?? '');
  return { ...session, context: { ...session.context, 'lambda:SourceFunctionArn': arn } };
}
