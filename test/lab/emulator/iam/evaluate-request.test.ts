import { describe, expect, it } from 'vitest';
import {
  evaluateRequest,
  type IamRequest,
  type NamedPolicy,
  type Policies,
} from '../../../../lab/emulator/iam/evaluate-request.ts';

const account = '111122223333';
const role = `arn:aws:iam::${account}:role/signer`;
const session = `arn:aws:sts::${account}:assumed-role/signer/fn`;
const key = `arn:aws:kms:us-west-2:${account}:key/0d8ef0e5-0000-4000-8000-000000000001`;
const table = `arn:aws:dynamodb:us-west-2:${account}:table/keys`;
const fn = `arn:aws:lambda:us-west-2:${account}:function:fn`;
const alias = `${fn}:live`;

function policy(name: string, ...Statement: readonly object[]): NamedPolicy {
  return { name, document: { Version: '2012-10-17', Statement } };
}

function allow(Action: string, Resource = '*', Condition?: object) {
  return { Effect: 'Allow', Action, Resource, ...(Condition && { Condition }) };
}

const accountDecides = {
  Effect: 'Allow',
  Principal: { AWS: `arn:aws:iam::${account}:root` },
  Action: 'kms:*',
  Resource: '*',
};

const sign: IamRequest = {
  principal: session,
  action: 'kms:Sign',
  resource: key,
  account,
  context: { 'aws:PrincipalArn': role, 'kms:MessageType': 'DIGEST' },
};

const query: IamRequest = {
  principal: session,
  action: 'dynamodb:Query',
  resource: table,
  account,
  context: { 'dynamodb:LeadingKeys': ['a'] },
};

const invoke: IamRequest = {
  principal: 'apigateway.amazonaws.com',
  action: 'lambda:InvokeFunction',
  resource: alias,
  account,
  context: { 'aws:SourceArn': `arn:aws:execute-api:us-west-2:${account}:api/live/POST/token` },
};

const permission = {
  Effect: 'Allow',
  Principal: { Service: 'apigateway.amazonaws.com' },
  Action: 'lambda:InvokeFunction',
  Resource: alias,
  Condition: {
    ArnLike: { 'aws:SourceArn': `arn:aws:execute-api:us-west-2:${account}:api/live/*/token` },
  },
};

const onlyPartition = {
  'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['a', 'b'] },
  Null: { 'dynamodb:LeadingKeys': 'false' },
};

const keyPolicy = policy('key', accountDecides);
const mayAll = [policy('all', allow('*'))];
const mayQuery = [policy('query', allow('dynamodb:Query', table, onlyPartition))];

const cases: readonly [name: string, Policies, IamRequest, result: string][] = [
  ['no policy', { identity: [] }, query, 'ImplicitlyDenied'],
  ['a policy for the action', { identity: mayAll }, query, 'Allowed'],
  ['the partition that a condition names', { identity: mayQuery }, query, 'Allowed'],
  [
    'another partition among those that a condition names',
    { identity: mayQuery },
    { ...query, context: { 'dynamodb:LeadingKeys': ['a', 'c'] } },
    'ImplicitlyDenied',
  ],
  [
    'no partition, if the condition requires one',
    { identity: mayQuery },
    { ...query, context: {} },
    'ImplicitlyDenied',
  ],
  [
    'no partition, if the condition does not require one',
    {
      identity: [
        policy(
          'open',
          allow('dynamodb:Query', table, {
            'ForAllValues:StringEquals': onlyPartition['ForAllValues:StringEquals'],
          }),
        ),
      ],
    },
    { ...query, context: {} },
    'Allowed',
  ],
  [
    'a boundary that leaves the action out',
    { identity: mayAll, boundary: policy('b', allow('kms:*')) },
    query,
    'ImplicitlyDenied',
  ],
  [
    'a boundary that names the action',
    { identity: mayAll, boundary: policy('b', allow('dynamodb:Query')) },
    query,
    'Allowed',
  ],
  [
    'a service control policy that denies',
    {
      identity: mayAll,
      serviceControl: [policy('scp', { Effect: 'Deny', Action: 'dynamodb:Query', Resource: '*' })],
    },
    query,
    'ExplicitlyDenied',
  ],
  [
    'a service control policy that denies something else',
    {
      identity: mayAll,
      serviceControl: [policy('scp', { Effect: 'Deny', Action: 'dynamodb:Scan', Resource: '*' })],
    },
    query,
    'Allowed',
  ],
  [
    'a KMS key whose policy leaves the decision to IAM',
    { identity: mayAll, resource: keyPolicy },
    sign,
    'Allowed',
  ],
  [
    'a KMS key whose policy is silent',
    { identity: mayAll, resource: policy('key', { ...accountDecides, Action: 'kms:DescribeKey' }) },
    sign,
    'ImplicitlyDenied',
  ],
  [
    'a KMS key whose policy denies every role but another',
    {
      identity: mayAll,
      resource: policy('key', accountDecides, {
        ...accountDecides,
        Effect: 'Deny',
        Action: 'kms:Sign',
        Condition: { ArnNotEquals: { 'aws:PrincipalArn': `${role}-2` } },
      }),
    },
    sign,
    'ExplicitlyDenied',
  ],
  [
    'a KMS key whose policy denies every role but this',
    {
      identity: mayAll,
      resource: policy('key', accountDecides, {
        ...accountDecides,
        Effect: 'Deny',
        Action: 'kms:Sign',
        Condition: { ArnNotEquals: { 'aws:PrincipalArn': role } },
      }),
    },
    sign,
    'Allowed',
  ],
  [
    'an AWS service with the source that a permission names',
    { identity: [], resource: policy('fn', permission) },
    invoke,
    'Allowed',
  ],
  [
    'an AWS service with another source',
    { identity: [], resource: policy('fn', permission) },
    {
      ...invoke,
      context: {
        'aws:SourceArn': `arn:aws:execute-api:us-west-2:${account}:other/live/POST/token`,
      },
    },
    'ImplicitlyDenied',
  ],
  [
    'another AWS service',
    { identity: [], resource: policy('fn', permission) },
    { ...invoke, principal: 'events.amazonaws.com' },
    'ImplicitlyDenied',
  ],
];

describe('a request with', () => {
  it.each(cases)('%s', async (_, policies, request, result) => {
    expect((await evaluateRequest(policies, request)).result).toBe(result);
  });
});

describe('a decision', () => {
  it('names the statements that applied', async () => {
    const identity = [
      policy('mine', allow('kms:Sign'), allow('dynamodb:Scan'), allow('dynamodb:*')),
    ];
    const { statements } = await evaluateRequest({ identity }, query);
    expect(statements).toEqual([{ type: 'identity', policy: 'mine', index: 2, effect: 'Allow' }]);
  });

  it('names those of the key policy as well', async () => {
    const { statements } = await evaluateRequest({ identity: mayAll, resource: keyPolicy }, sign);
    expect(statements.map(({ type, policy: name }) => [type, name])).toEqual([
      ['identity', 'all'],
      ['resource', 'key'],
    ]);
  });

  it('names context keys that AWS does not document for the action', async () => {
    const request = { ...query, context: { ...query.context, 'kms:MessageType': 'RAW' } };
    const { ignoredKeys } = await evaluateRequest({ identity: mayAll }, request);
    expect(ignoredKeys).toEqual(['kms:MessageType']);
  });

  it('is refused for an action that IAM does not have', async () => {
    const request = { ...query, action: 'dynamodb:Guess' };
    await expect(evaluateRequest({ identity: mayAll }, request)).rejects.toThrow('dynamodb:Guess');
  });
});
