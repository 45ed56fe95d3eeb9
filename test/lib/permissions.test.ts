import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { evaluate, propertiesOf, resourcesOf, singleRegion } from './synthesise.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: unknown;
}

type Permission = readonly [effect: string, action: string, resource: string, condition?: unknown];

function listed(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

/** `{FunctionsTokenLogs7E8E7302}.Arn` → `FunctionsTokenLogs`. */
function readable(resource: string): string {
  return resource.replace(/\{(\w+?)[0-9A-F]{8}\}(?:\.\w+)?/g, '$1');
}

/** What each function's role may do, one line for an action on a resource. */
function permissionMatrix(template: Template): Readonly<Record<string, readonly Permission[]>> {
  const roles = resourcesOf(template, 'AWS::IAM::Role');
  const matrix: Record<string, Permission[]> = {};
  for (const policy of Object.values(resourcesOf(template, 'AWS::IAM::Policy'))) {
    const role = roles[policy.Properties['Roles'][0].Ref];
    const name = role?.Properties['RoleName'] ?? 'unnamed';
    matrix[name] = (evaluate(policy.Properties['PolicyDocument'].Statement) as Statement[])
      .flatMap(({ Effect, Action, Resource, Condition }) =>
        listed(Action).flatMap((action) =>
          listed(Resource).map(
            (resource): Permission =>
              Condition === undefined
                ? [Effect, action, readable(resource)]
                : [Effect, action, readable(resource), Condition],
          ),
        ),
      )
      .sort((a, b) => a.slice(0, 3).join(' ').localeCompare(b.slice(0, 3).join(' ')));
  }
  return matrix;
}

let template: Template;
beforeAll(() => {
  template = singleRegion();
});

/** All data actions of DynamoDB that anyone has, by a letter, and every table. */
const letters: Readonly<Record<string, string>> = {
  'dynamodb:GetItem': 'G',
  'dynamodb:BatchGetItem': 'B',
  'dynamodb:Query': 'Q',
  'dynamodb:Scan': 'S',
  'dynamodb:PutItem': 'P',
  'dynamodb:UpdateItem': 'U',
  'dynamodb:DeleteItem': 'D',
  'dynamodb:DescribeTable': 'T',
};
const everyTable = [
  'clients',
  'api-keys',
  'identity-providers',
  'signing-keys',
  'settings',
  'audit',
  'api-key-uses',
] as const;

/** `ApiKeysTable` of a logical id, or the name in an ARN → `api-keys`; undefined for what is no table. */
function tableOf(resource: string): string | undefined {
  const name = /(?:table\/authorization-server-)([a-z-]+)/.exec(resource)?.[1];
  if (name !== undefined) return name;
  const [, id] = /^(\w+)Table(?:$|\/)/.exec(resource) ?? [];
  return id?.replaceAll(/\B[A-Z]/g, '-$&').toLowerCase();
}

/** The letters that a role has on each table; a dash: nothing, by any condition. */
function accessByTable(permissions: readonly Permission[]): string {
  const ofTable = (table: string) => {
    const own = permissions.filter(([, , resource]) => tableOf(resource) === table);
    const found = new Set(own.map(([, action]) => letters[action] ?? action));
    return [...found].toSorted().join('') || '-';
  };
  return everyTable.map(ofTable).join(' ');
}

describe('what each role may do with each table, and so what it may not', () => {
  it('is this', () => {
    const functions = Object.entries(permissionMatrix(template)).map(
      ([name, permissions]) =>
        [name.replace('authorization-server-slc-', ''), accessByTable(permissions)] as const,
    );
    const operators = propertiesOf(template, 'AWS::IAM::ManagedPolicy').map((properties) => {
      const statements = evaluate(properties['PolicyDocument'].Statement) as Statement[];
      const permissions = statements.flatMap(({ Effect, Action, Resource }) =>
        listed(Action).flatMap((action) =>
          listed(Resource).map((one): Permission => [Effect, action, readable(one)]),
        ),
      );
      const name = String(properties['ManagedPolicyName']);
      return [name.replace('authorization-server-slc-', ''), accessByTable(permissions)] as const;
    });
    expect(Object.fromEntries([...functions, ...operators])).toEqual({
      //                     clients api-keys providers signing-keys settings audit uses
      token: 'GU - - Q - - -',
      discovery: '- - - - - - -',
      jwks: '- - - Q - - -',
      canary: '- - - GPQ - - -',
      'key-rotation': '- - - GPQU - P -',
      'deployment-check': '- - - QT - - -',
      'synthetic-check': 'GPU - - - - - -',
      management: 'BDGPQSU BDGPQS DGPS Q GPQ PQ B',
      notices: 'S S - - - - -',
      'client-operator': '- - - - - - -',
      'api-key-operator': '- - - - - - -',
      'provider-operator': '- - - - - - -',
      'signing-key-operator': '- - - Q - - -',
      'restore-operator': 'GP GP GP - GP PQ -',
      'break-glass-operator': 'GU GP - - - P -',
      auditor: '- - - - - - -',
      administrator: '- - - - - - -',
    });
  });
});

describe('roles', () => {
  it('are assumed only by AWS services', () => {
    for (const role of Object.values(resourcesOf(template, 'AWS::IAM::Role'))) {
      for (const { Principal } of role.Properties['AssumeRolePolicyDocument'].Statement) {
        expect(Object.keys(Principal)).toEqual(['Service']);
      }
    }
  });

  it('have no managed policy but the gateway log role', () => {
    const managed = Object.entries(resourcesOf(template, 'AWS::IAM::Role'))
      .filter(([, role]) => role.Properties['ManagedPolicyArns'] !== undefined)
      .map(([id]) => readable(`{${id}}`));
    expect(managed).toEqual(['ApiGatewayAccountLogRole']);
  });

  // AWS: ForAllValues is true if the request has no such key, or an empty list.
  it('let no condition on a list hold for a request without the list', () => {
    const lists = Object.values(permissionMatrix(template))
      .flat()
      .flatMap(([, action, , condition]) => {
        const { 'ForAllValues:StringEquals': all, ...others } = { ...(condition as object) } as {
          readonly 'ForAllValues:StringEquals'?: object;
        };
        return Object.keys(all ?? {}).map((key) => ({ action, key, others }));
      });
    const open = lists.filter(({ key, others }) => {
      const conditions = JSON.stringify(others);
      // A tag that the request must have makes the list of its tags present.
      const isRequired =
        key === 'aws:TagKeys'
          ? conditions.includes('"aws:RequestTag/')
          : (others as { Null?: Record<string, string> }).Null?.[key] === 'false';
      return !isRequired;
    });
    expect(lists.length).toBeGreaterThan(5);
    expect(open).toEqual([]);
  });

  it('let no statement take every action', () => {
    const text = JSON.stringify(template.toJSON());
    expect(text).not.toMatch(/"Action":"\*"/);
    expect(JSON.stringify(permissionMatrix(template))).not.toMatch(/:\*",/);
  });
});

describe('who may invoke a function', () => {
  it('is the API on one path, or one schedule', () => {
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission').map((properties) => [
      readable(evaluate(properties['FunctionName'])),
      properties['Principal'],
      evaluate(properties['SourceArn']).replace(/\{(\w+?)[0-9A-F]{8}\}(?:\.\w+)?/, '$1'),
    ]);
    const api = 'arn:aws:execute-api:us-west-2:111122223333:ApiRestApi/live/*';
    expect(new Set(permissions)).toEqual(
      new Set([
        [
          'FunctionsDiscoveryLive',
          'apigateway.amazonaws.com',
          `${api}/.well-known/openid-configuration`,
        ],
        ['FunctionsJwksLive', 'apigateway.amazonaws.com', `${api}/.well-known/jwks.json`],
        ['FunctionsTokenLive', 'apigateway.amazonaws.com', `${api}/api/v1/oauth/token`],
        ['FunctionsTokenLive', 'apigateway.amazonaws.com', `${api}/health`],
        ['FunctionsNoticesHandler', 'events.amazonaws.com', 'NoticesSchedule'],
        ['FunctionsCanaryHandler', 'events.amazonaws.com', 'SchedulesCanary'],
        ['FunctionsKeyRotationHandler', 'events.amazonaws.com', 'SchedulesRotation'],
        ['FunctionsSyntheticCheckHandler', 'events.amazonaws.com', 'SchedulesSyntheticCheck'],
      ]),
    );
  });
});
