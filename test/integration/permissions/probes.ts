import type { DecidedRequest } from '../../../lab/emulator/iam/authorizer.ts';
import { evaluateRequest, type NamedPolicy } from '../../../lab/emulator/iam/evaluate-request.ts';

/** A request that no function and no operator sends, and what IAM must say to it. */
export interface Probe extends DecidedRequest {
  readonly name: string;
  readonly expected: DecidedRequest['result'];
}

const account = '000000000000';
const user = `arn:aws:iam::${account}:user/administrator`;
const cloudwatch = 'cloudwatch.amazonaws.com';
const events = 'events.amazonaws.com';
const root = `arn:aws:iam::${account}:root`;
const rotationRole = `arn:aws:iam::${account}:role/local-slc-key-rotation`;
const key = `arn:aws:kms:us-west-2:${account}:key/00000000-0000-4000-8000-000000000001`;
const week = { 'kms:ScheduleKeyDeletionPendingWindowInDays': '7' };
const month = { 'kms:ScheduleKeyDeletionPendingWindowInDays': '30' };

const everything: NamedPolicy = {
  name: 'everything',
  document: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] },
};

/** Of a key that is not a signing key: IAM policies decide. */
const otherKey: NamedPolicy = {
  name: 'policy of another key',
  document: {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: { AWS: root }, Action: 'kms:*', Resource: '*' }],
  },
};

type Attempt = readonly [
  principal: string,
  action: string,
  expected: Probe['expected'],
  context?: DecidedRequest['context'],
];

/** On a signing key, by principals whose IAM policies allow everything. */
const onSigningKey: readonly Attempt[] = [
  [user, 'kms:PutKeyPolicy', 'ExplicitlyDenied'],
  [user, 'kms:CreateGrant', 'ExplicitlyDenied'],
  [user, 'kms:UntagResource', 'ExplicitlyDenied'],
  // Without a break-glass role, the root user is the exception.
  [root, 'kms:PutKeyPolicy', 'Allowed'],
  [root, 'kms:ScheduleKeyDeletion', 'ExplicitlyDenied', week],
  [root, 'kms:ScheduleKeyDeletion', 'Allowed', month],
];

/** On any other key of the account, by the rotation, if someone allowed its role everything. */
const byRotation: readonly Attempt[] = [
  [rotationRole, 'kms:Sign', 'ExplicitlyDenied'],
  [rotationRole, 'kms:CreateGrant', 'ExplicitlyDenied'],
  [rotationRole, 'kms:PutKeyPolicy', 'ExplicitlyDenied'],
];

/** What AWS services send to the alarm topic, and what they send for another account. */
const onTopic: readonly Attempt[] = [
  [cloudwatch, 'sns:Publish', 'Allowed', { 'aws:SourceAccount': account }],
  [cloudwatch, 'sns:Publish', 'ImplicitlyDenied', { 'aws:SourceAccount': '111122223333' }],
  // EventBridge sends no condition keys of the source to SNS.
  [events, 'sns:Publish', 'Allowed', {}],
  [events, 'sns:Publish', 'ExplicitlyDenied', { 'aws:SecureTransport': 'false' }],
  [user, 'sns:Publish', 'ExplicitlyDenied', { 'aws:SecureTransport': 'false' }],
];

interface Asked {
  readonly resource: string;
  readonly policies: DecidedRequest['policies'];
}

async function decide(
  [principal, action, expected, more = {}]: Attempt,
  { resource, policies }: Asked,
): Promise<Probe> {
  const isService = !principal.startsWith('arn:');
  const context = { ...(!isService && { 'aws:PrincipalArn': principal }), ...more };
  const request = { principal, action, resource, account, context };
  const decision = await evaluateRequest(policies, request);
  const name = [principal, action, ...Object.values(more)].join(' ');
  return { ...request, ...decision, policies, name, expected };
}

interface ProbedPolicies {
  readonly keyPolicy: NamedPolicy;
  /** Of the rotation's role. */
  readonly rotation: readonly NamedPolicy[];
  /** By the topic's ARN. */
  readonly topics: ReadonlyMap<string, NamedPolicy>;
}

/** What no function and no operator requests, and what the emulated KMS has no operation for. */
export function decideProbes({
  keyPolicy,
  rotation,
  topics,
}: ProbedPolicies): Promise<readonly Probe[]> {
  const keyOf = (identity: readonly NamedPolicy[], resourcePolicy: NamedPolicy): Asked => ({
    resource: key,
    policies: { identity, resource: resourcePolicy },
  });
  return Promise.all([
    ...onSigningKey.map((one) => decide(one, keyOf([everything], keyPolicy))),
    ...byRotation.map((one) => decide(one, keyOf([...rotation, everything], otherKey))),
    ...[...topics].flatMap(([resource, policy]) =>
      onTopic.map((one) => {
        const identity = one[0] === user ? [everything] : [];
        return decide(one, { resource, policies: { identity, resource: policy } });
      }),
    ),
  ]);
}
