import { describe, expect, it } from 'vitest';
import type { DecidedRequest } from '../../../../lab/emulator/iam/authorizer.ts';
import type {
  AppliedStatement,
  NamedPolicy,
} from '../../../../lab/emulator/iam/evaluate-request.ts';
import {
  countStatementUses,
  describeUses,
  listUses,
} from '../../../../lab/ministack/permissions/statement-uses.ts';

const sign = { Effect: 'Allow', Action: 'kms:Sign', Resource: '*' };
const read = { Effect: 'Allow', Action: ['kms:DescribeKey', 'kms:GetPublicKey'], Resource: '*' };
const deny = { Effect: 'Deny', Action: 'kms:Sign', Principal: '*', Resource: '*' };

function policy(name: string, ...Statement: readonly object[]): NamedPolicy {
  return { name, document: { Version: '2012-10-17', Statement } };
}

const keyPolicy = policy('key policy', deny);

function request(
  action: string,
  identity: NamedPolicy,
  ...statements: readonly Omit<AppliedStatement, 'effect'>[]
): DecidedRequest {
  return {
    principal: 'arn:aws:sts::000000000000:assumed-role/one-slc-token/one-token',
    action,
    resource: '*',
    account: '000000000000',
    context: {},
    result: 'Allowed',
    ignoredKeys: [],
    policies: { identity: [identity], resource: keyPolicy },
    statements: statements.map((one) => ({ ...one, effect: 'Allow' })),
  };
}

const before = policy('one-slc-token/own', sign, read);
const after = policy('one-slc-token/own', read, sign);
const identity = { type: 'identity', policy: 'one-slc-token/own' } as const;

describe('uses of statements', () => {
  it('are counted by owner, also if a statement has moved within its policy', () => {
    const uses = countStatementUses([
      request('kms:Sign', before, { ...identity, index: 0 }),
      request('kms:GetPublicKey', after, { ...identity, index: 0 }),
    ]);
    expect(uses).toEqual([
      { owner: 'one-slc-token', statement: sign, actions: new Set(['kms:Sign']) },
      { owner: 'one-slc-token', statement: read, actions: new Set(['kms:GetPublicKey']) },
      { owner: 'key policy', statement: deny, actions: new Set() },
    ]);
    expect(listUses(uses)).toEqual([
      'one-slc-token: Allow kms:GetPublicKey',
      'one-slc-token: Allow kms:Sign',
    ]);
    expect(describeUses(uses)).toEqual([
      'one-slc-token: 2 of 2 statements used',
      'key policy: 0 of 1 statements used; not used: Deny kms:Sign',
    ]);
  });

  it('are told apart by the type of the policy', () => {
    const [, , denial] = countStatementUses([
      request('kms:Sign', before, { type: 'resource', policy: 'key policy', index: 0 }),
    ]);
    expect(denial?.actions).toEqual(new Set(['kms:Sign']));
  });
});
