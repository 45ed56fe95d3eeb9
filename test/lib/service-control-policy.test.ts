import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultDeploymentName, functionName } from '../../contract/function-names.ts';
import { kmsKeyTags } from '../../contract/kms-key.ts';
import { tableName } from '../../contract/tables.ts';
import { evaluateRequest } from '../../lab/emulator/iam/evaluate-request.ts';
import { resourcesOf, singleRegion } from './synthesise.ts';

interface Statement {
  readonly Sid: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string;
  readonly Condition: {
    readonly StringEquals?: Readonly<Record<string, string>>;
    readonly ArnNotLike: Readonly<Record<string, string | readonly string[]>>;
  };
}

const file = resolve(import.meta.dirname, '../../docs/service-control-policy.json');
const policy = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly Statement: readonly Statement[];
};

function statement(sid: string): Statement {
  const found = policy.Statement.find(({ Sid }) => Sid === sid);
  if (found === undefined) throw new Error(`no statement ${sid}`);
  return found;
}

const list = (value: string | readonly string[] = []) => [value].flat();
const functionArn = (name: Parameters<typeof functionName>[1]) =>
  `arn:aws:lambda:*:*:function:${functionName(defaultDeploymentName, name)}`;

describe('the service control policy of the documentation', () => {
  // AWS Organizations' quota.
  it('fits', () => {
    expect(JSON.stringify(policy).length).toBeLessThan(5120);
  });

  it('denies, and exempts the break-glass role everywhere', () => {
    for (const { Effect, Condition } of policy.Statement) {
      expect(Effect).toBe('Deny');
      expect(list(Condition.ArnNotLike['aws:PrincipalArn'])).toContain(
        'arn:aws:iam::*:role/break-glass',
      );
    }
  });

  it.each([
    ['OnlyTokenFunctionAndCanarySign', ['token', 'canary'], 'aws:ResourceTag'],
    ['OnlyRotationMakesSigningKeys', ['key-rotation'], 'aws:RequestTag'],
    ['OnlyRotationAndCanaryWriteSigningKeys', ['key-rotation', 'canary'], undefined],
    ['OnlyCanaryAddsSigningKeys', ['canary'], undefined],
  ] as const)('%s names our functions and tag', (sid, functions, tag) => {
    const { ArnNotLike, StringEquals } = statement(sid).Condition;
    expect(list(ArnNotLike['lambda:SourceFunctionArn'])).toEqual(functions.map(functionArn));
    expect(StringEquals).toEqual(
      tag === undefined
        ? undefined
        : { [`${tag}/${kmsKeyTags.deployment}`]: defaultDeploymentName },
    );
  });

  it.each(['OnlyRotationAndCanaryWriteSigningKeys', 'OnlyCanaryAddsSigningKeys'])(
    '%s names our table',
    (sid) => {
      expect(statement(sid).Resource).toBe(
        `arn:aws:dynamodb:*:*:table/${tableName(defaultDeploymentName, 'signingKeys')}`,
      );
    },
  );

  it.each([
    ['key-rotation', 'signing_key', 'ExplicitlyDenied'],
    ['key-rotation', 'key_intent', 'Allowed'],
    ['canary', 'signing_key', 'Allowed'],
  ] as const)('decides that the %s function puts items of %s: %s', async (name, partition, is) => {
    const account = '111122223333';
    const table = tableName(defaultDeploymentName, 'signingKeys');
    const all = { Effect: 'Allow', Action: 'dynamodb:*', Resource: '*' };
    const { result } = await evaluateRequest(
      {
        identity: [{ name: 'all', document: { Version: '2012-10-17', Statement: [all] } }],
        serviceControl: [{ name: 'ours', document: policy }],
      },
      {
        principal: `arn:aws:iam::${account}:role/any`,
        action: 'dynamodb:PutItem',
        resource: `arn:aws:dynamodb:us-west-2:${account}:table/${table}`,
        account,
        context: {
          'aws:PrincipalArn': `arn:aws:iam::${account}:role/any`,
          'lambda:SourceFunctionArn': `arn:aws:lambda:us-west-2:${account}:function:${functionName(defaultDeploymentName, name)}`,
          'dynamodb:LeadingKeys': [partition],
        },
      },
    );
    expect(result).toBe(is);
  });

  it('covers every role and function that a stack names', () => {
    const covers = (sid: string, kind: string) => {
      const prefix = statement(sid).Resource.split(kind)[1]?.replace(/\*$/, '') ?? '?';
      return (name: string) => name.startsWith(prefix);
    };
    const template = singleRegion();
    const names = (type: string, property: string) =>
      Object.values(resourcesOf(template, type)).flatMap(
        ({ Properties }) => (Properties[property] as string | undefined) ?? [],
      );
    const roles = names('AWS::IAM::Role', 'RoleName');
    const functions = names('AWS::Lambda::Function', 'FunctionName');
    expect(roles).toHaveLength(8);
    expect(functions).toHaveLength(8);
    expect(roles.filter(covers('OnlyDeploymentUsesServiceRoles', 'role/'))).toEqual(roles);
    expect(functions.filter(covers('OnlyDeploymentChangesFunctions', 'function:'))).toEqual(
      functions,
    );
  });
});
