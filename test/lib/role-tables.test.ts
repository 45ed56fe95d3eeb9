import { describe, expect, it } from 'vitest';
import { readDocument, readPart } from '../../lab/support/generated-parts.ts';
import { describeRoles } from '../../lab/tools/role-table/describe-roles.ts';
import { computeRoleTables } from '../../lab/tools/role-table/role-tables.ts';
import { withStubBundles } from './synthesise.ts';

describe('docs/roles.md', () => {
  it('has the permissions of the templates', () => {
    const page = readDocument('roles.md');
    withStubBundles((bundles) => {
      for (const [name, content] of Object.entries(computeRoleTables(bundles))) {
        expect(readPart(page, name), `${name}: run node lab/tools/role-table/main.ts`).toBe(
          content,
        );
      }
    });
  });
});

describe('the description of a role', () => {
  const table = 'arn:aws:dynamodb:us-west-2:111122223333:table/authorization-server-clients';
  const bound = { ArnEquals: { 'lambda:SourceFunctionArn': 'token' } };
  const policyOf = (statement: object) => ({
    Type: 'AWS::IAM::Policy',
    Properties: { Roles: ['{TokenRole01234567}'], PolicyDocument: { Statement: [statement] } },
  });
  const policy = ({ Condition, ...rest }: Readonly<Record<string, unknown>>) =>
    policyOf({ ...rest, Condition: { ...(Condition as object | undefined), ...bound } });
  const role = {
    Type: 'AWS::IAM::Role',
    Properties: { RoleName: 'a-token', Description: 'Issues access tokens' },
  };
  const mayOf = (...policies: readonly ReturnType<typeof policy>[]) =>
    describeRoles({
      TokenRole01234567: role,
      ...Object.fromEntries(policies.map((each, index) => [`Policy${index}`, each])),
    })[0]?.may;

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    [
      'an action on a table',
      { Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: table },
      '`dynamodb:GetItem` on `clients`',
    ],
    [
      'items and attributes',
      {
        Effect: 'Allow',
        Action: ['dynamodb:PutItem'],
        Resource: table,
        Condition: {
          'ForAllValues:StringEquals': {
            'dynamodb:LeadingKeys': ['a'],
            'dynamodb:Attributes': ['b', 'c'],
          },
          Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
        },
      },
      '`dynamodb:PutItem` on `clients` (only the items `a`, only the attributes `b`, `c`)',
    ],
    [
      'a denial',
      { Effect: 'Deny', Action: 'kms:Sign', Resource: '*' },
      '**never** `kms:Sign` on `*`',
    ],
    ['a wildcard, as it is', { Effect: 'Allow', Action: '*', Resource: '*' }, '`*` on `*`'],
    [
      'what a condition compares with',
      {
        Effect: 'Allow',
        Action: 'kms:Sign',
        Resource: '*',
        Condition: {
          StringEquals: { 'kms:MessageType': 'DIGEST' },
          StringEqualsIfExists: { 'kms:KeySpec': ['A', 'B'] },
        },
      },
      '`kms:Sign` on `*` (with `kms:MessageType = DIGEST`, `kms:KeySpec? = A B`)',
    ],
    [
      'a log of its own, which every role has',
      { Effect: 'Allow', Action: ['logs:PutLogEvents'], Resource: '{Logs01234567}.Arn' },
      'nothing else',
    ],
  ])('names %s', (_, statement, expected) => {
    expect(mayOf(policy(statement))).toBe(expected);
  });

  it('counts what is not bound to the function', () => {
    const statement = { Effect: 'Allow', Action: 'kms:ListKeys', Resource: '*' };
    expect(mayOf(policyOf(statement))).toBe('`kms:ListKeys` on `*`; **1 of these from any code**');
  });

  it('has the statements of all its policies', () => {
    const [first, second] = ['kms:Sign', 'kms:ListKeys'].map((Action) =>
      policy({ Effect: 'Allow', Action, Resource: '*' }),
    ) as [ReturnType<typeof policy>, ReturnType<typeof policy>];
    expect(mayOf(first, second)).toBe('`kms:Sign` on `*`; `kms:ListKeys` on `*`');
  });
});
