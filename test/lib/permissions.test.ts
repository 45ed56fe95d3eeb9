import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { portalConfig } from '../../lab/support/portal-config.ts';
import { evaluate, readConfigFile, resourcesOf, singleRegion, synthesise } from './synthesise.ts';

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

/** Only code of the function, no matter who else gets its role. */
function fromFunction(name: string) {
  const arn = `arn:aws:lambda:us-west-2:111122223333:function:authorization-server-${name}`;
  return { ArnEquals: { 'lambda:SourceFunctionArn': arn } };
}

/** A function's permissions, each of them bound to the function. */
function boundTo(name: string, permissions: readonly Permission[]): readonly Permission[] {
  return permissions.map(([effect, action, resource, condition]) => [
    effect,
    action,
    resource,
    { ...(condition as object | undefined), ...fromFunction(name) },
  ]);
}

const anyKey = 'arn:aws:kms:us-west-2:111122223333:key/*';
const ownKey = { 'aws:ResourceTag/authorization-server:deployment': 'authorization-server' };
const newTag = { 'aws:RequestTag/authorization-server:deployment': 'authorization-server' };
const newKind = { 'kms:KeySpec': ['RSA_2048'], 'kms:KeyUsage': 'SIGN_VERIFY' };
const newMaterial = { 'kms:KeyOrigin': 'AWS_KMS' };
const noOtherTags = {
  'ForAllValues:StringEquals': {
    'aws:TagKeys': [
      'authorization-server:deployment',
      'authorization-server:intent',
      'application',
    ],
  },
};
const sign: Permission = [
  'Allow',
  'kms:Sign',
  anyKey,
  {
    StringEquals: {
      ...ownKey,
      'kms:SigningAlgorithm': 'RSASSA_PKCS1_V1_5_SHA_256',
      'kms:MessageType': 'DIGEST',
    },
  },
];

function items(...partitionKeys: readonly string[]) {
  return {
    'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': partitionKeys },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  };
}
const ownRecords = items('signing_key', 'key_intent', 'region_heartbeat', 'key_choice');
const settings = items(
  'trunk_group_limits',
  'provider_owner',
  'subject_grants',
  'issuer_grants',
  'person',
);
const ownClientAlone = items('client_SyntheticCheck00000slc');

function logsOf(fn: string, parent = 'Functions'): readonly Permission[] {
  return [
    ['Allow', 'logs:CreateLogStream', `${parent}${fn}Logs`],
    ['Allow', 'logs:PutLogEvents', `${parent}${fn}Logs`],
  ];
}

let template: Template;
beforeAll(() => {
  template = singleRegion();
});

describe('the permission matrix', () => {
  const expected: Readonly<Record<string, readonly Permission[]>> = {
    'authorization-server-slc-token': [
      ...boundTo('token', [
        ['Allow', 'dynamodb:GetItem', 'ClientsTable'],
        ['Allow', 'dynamodb:Query', 'SigningKeysTable', items('signing_key')],
        [
          'Allow',
          'dynamodb:UpdateItem',
          'ClientsTable',
          {
            'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['client_id', 'secrets'] },
            Null: { 'dynamodb:Attributes': 'false' },
            StringEqualsIfExists: { 'dynamodb:ReturnValues': 'NONE' },
          },
        ],
        sign,
      ]),
      ...logsOf('Token'),
    ],
    'authorization-server-slc-discovery': logsOf('Discovery'),
    'authorization-server-slc-jwks': [
      ...boundTo('jwks', [['Allow', 'dynamodb:Query', 'SigningKeysTable', items('signing_key')]]),
      ...logsOf('Jwks'),
    ],
    'authorization-server-slc-canary': [
      ...boundTo('canary', [
        ['Allow', 'dynamodb:GetItem', 'SigningKeysTable', items('signing_key')],
        // The only role that may add a key to the JWKS.
        ['Allow', 'dynamodb:PutItem', 'SigningKeysTable', items('signing_key')],
        [
          'Allow',
          'dynamodb:Query',
          'SigningKeysTable',
          items('signing_key', 'region_heartbeat', 'key_intent'),
        ],
        ['Allow', 'kms:DescribeKey', anyKey],
        ['Allow', 'kms:GetKeyPolicy', anyKey],
        ['Allow', 'kms:GetPublicKey', anyKey],
        ['Allow', 'kms:ListGrants', anyKey],
        ['Allow', 'kms:ListResourceTags', anyKey],
        sign,
      ]),
      ...logsOf('Canary'),
    ],
    'authorization-server-slc-deployment-check': [
      ...boundTo('deployment-check', [
        [
          'Allow',
          'dynamodb:DescribeTable',
          'arn:aws:dynamodb:us-west-2:111122223333:table/authorization-server-signing-keys',
        ],
        [
          'Allow',
          'dynamodb:Query',
          'arn:aws:dynamodb:us-west-2:111122223333:table/authorization-server-signing-keys',
          items('signing_key', 'region_heartbeat'),
        ],
        [
          'Allow',
          'lambda:GetFunctionConfiguration',
          'arn:aws:lambda:us-west-2:111122223333:function:authorization-server-token:live',
        ],
      ]),
      ...logsOf('DeploymentCheck'),
    ],
    'authorization-server-slc-synthetic-check': [
      ...boundTo('synthetic-check', [
        ['Allow', 'dynamodb:GetItem', 'ClientsTable', ownClientAlone],
        ['Allow', 'dynamodb:PutItem', 'ClientsTable', ownClientAlone],
        ['Allow', 'dynamodb:UpdateItem', 'ClientsTable', ownClientAlone],
      ]),
      ...logsOf('SyntheticCheck'),
    ],
    'authorization-server-slc-management': [
      ...boundTo('management', [
        ['Allow', 'dynamodb:BatchGetItem', 'ApiKeysTable'],
        ['Allow', 'dynamodb:BatchGetItem', 'ApiKeyUsesTable'],
        ['Allow', 'dynamodb:BatchGetItem', 'ClientsTable'],
        ['Allow', 'dynamodb:DeleteItem', 'ApiKeysTable'],
        ['Allow', 'dynamodb:DeleteItem', 'ClientsTable'],
        ['Allow', 'dynamodb:DeleteItem', 'IdentityProvidersTable'],
        ['Allow', 'dynamodb:GetItem', 'ApiKeysTable'],
        ['Allow', 'dynamodb:GetItem', 'ClientsTable'],
        ['Allow', 'dynamodb:GetItem', 'IdentityProvidersTable'],
        ['Allow', 'dynamodb:GetItem', 'SettingsTable', settings],
        ['Allow', 'dynamodb:PutItem', 'ApiKeysTable'],
        ['Allow', 'dynamodb:PutItem', 'AuditTable'],
        ['Allow', 'dynamodb:PutItem', 'ClientsTable'],
        ['Allow', 'dynamodb:PutItem', 'IdentityProvidersTable'],
        ['Allow', 'dynamodb:PutItem', 'SettingsTable', settings],
        ['Allow', 'dynamodb:Query', 'ApiKeysTable/index/by-trunk-group'],
        ['Allow', 'dynamodb:Query', 'AuditTable'],
        ['Allow', 'dynamodb:Query', 'ClientsTable/index/by-trunk-group'],
        [
          'Allow',
          'dynamodb:Query',
          'SettingsTable',
          items('trunk_group_limits', 'subject_grants', 'issuer_grants'),
        ],
        ['Allow', 'dynamodb:Query', 'SigningKeysTable', items('signing_key')],
        ['Allow', 'dynamodb:Scan', 'ApiKeysTable'],
        ['Allow', 'dynamodb:Scan', 'ApiKeysTable/index/by-trunk-group'],
        ['Allow', 'dynamodb:Scan', 'ClientsTable'],
        ['Allow', 'dynamodb:Scan', 'ClientsTable/index/by-trunk-group'],
        ['Allow', 'dynamodb:Scan', 'IdentityProvidersTable'],
        ['Allow', 'dynamodb:UpdateItem', 'ClientsTable'],
      ]),
      ...logsOf('Management'),
    ],
    'authorization-server-slc-notices': [
      ...boundTo('notices', [
        ['Allow', 'dynamodb:Scan', 'ApiKeysTable'],
        ['Allow', 'dynamodb:Scan', 'ClientsTable'],
        ['Allow', 'events:PutEvents', 'NoticesBus'],
      ]),
      ...logsOf('Notices'),
    ],
    'authorization-server-slc-key-rotation': [
      ...boundTo('key-rotation', [
        ['Allow', 'dynamodb:GetItem', 'SigningKeysTable', ownRecords],
        ['Allow', 'dynamodb:PutItem', 'AuditTable'],
        [
          'Allow',
          'dynamodb:PutItem',
          'SigningKeysTable',
          items('key_intent', 'region_heartbeat', 'key_choice'),
        ],
        ['Allow', 'dynamodb:Query', 'SigningKeysTable', ownRecords],
        [
          'Allow',
          'dynamodb:UpdateItem',
          'SigningKeysTable',
          {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['signing_key'],
              'dynamodb:Attributes': [
                'record_type',
                'record_id',
                'state',
                'seen_at',
                'proved_at',
                'activated_at',
                'retired_at',
                'withdraw_at',
                'withdrawn_at',
                'disable_at',
                'disabled_at',
                'deletion_scheduled_at',
                'version',
              ],
            },
            Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          },
        ],
        [
          'Allow',
          'kms:CreateKey',
          '*',
          {
            StringEquals: { ...newTag, ...newKind, ...newMaterial },
            ...noOtherTags,
            Bool: { 'kms:MultiRegion': 'false' },
          },
        ],
        ['Allow', 'kms:DescribeKey', anyKey],
        ['Allow', 'kms:DisableKey', anyKey, { StringEquals: ownKey }],
        ['Allow', 'kms:GetPublicKey', anyKey],
        ['Allow', 'kms:ListKeys', '*'],
        ['Allow', 'kms:ListResourceTags', anyKey],
        [
          'Allow',
          'kms:ScheduleKeyDeletion',
          anyKey,
          {
            StringEquals: ownKey,
            NumericEquals: { 'kms:ScheduleKeyDeletionPendingWindowInDays': '30' },
          },
        ],
        [
          'Allow',
          'kms:TagResource',
          '*',
          // While a key is being made, it has no spec yet that a condition could read.
          { StringEquals: newTag, StringEqualsIfExists: newKind, ...noOtherTags },
        ],
        ['Allow', 'lambda:InvokeFunction', 'FunctionsCanaryHandler'],
        ['Allow', 'lambda:InvokeFunction', 'FunctionsTokenHandler'],
      ]),
      ...logsOf('KeyRotation'),
      ['Deny', 'kms:CreateGrant', '*'],
      ['Deny', 'kms:PutKeyPolicy', '*'],
      ['Deny', 'kms:Sign', '*'],
      ...['????????-????-????-????-????????????', 'mrk-*'].map(
        (id): Permission => [
          'Deny',
          'kms:TagResource',
          `arn:aws:kms:us-west-2:111122223333:key/${id}`,
          { Null: { 'kms:KeySpec': 'false' } },
        ],
      ),
    ],
  };

  it('has these roles and no other', () => {
    expect(new Set(Object.keys(permissionMatrix(template)))).toEqual(
      new Set(Object.keys(expected)),
    );
  });

  it.each(Object.keys(expected))('%s may do exactly this', (name) => {
    expect(permissionMatrix(template)[name]).toEqual(expected[name]);
  });
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
    const operators = Object.values(resourcesOf(template, 'AWS::IAM::ManagedPolicy')).map(
      ({ Properties }) => {
        const statements = evaluate(Properties['PolicyDocument'].Statement) as Statement[];
        const permissions = statements.flatMap(({ Effect, Action, Resource }) =>
          listed(Action).flatMap((action) =>
            listed(Resource).map((one): Permission => [Effect, action, readable(one)]),
          ),
        );
        const name = String(Properties['ManagedPolicyName']);
        return [name.replace('authorization-server-slc-', ''), accessByTable(permissions)] as const;
      },
    );
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

describe('the permission matrix of the portal', () => {
  it('is the alias that names people, its own two secrets, and nothing else', () => {
    const { templates } = synthesise({ ...readConfigFile('single-region'), portal: portalConfig });
    const portal = templates['AuthorizationServer-portal'] as Template;
    expect(permissionMatrix(portal)).toEqual({
      'authorization-server-slc-portal': [
        ...boundTo('portal', [
          [
            'Allow',
            'lambda:InvokeFunction',
            'arn:aws:lambda:us-west-2:111122223333:function:authorization-server-management:portal',
          ],
        ]),
        ...logsOf('Function', '').slice(0, 2),
        ...boundTo('portal', [
          [
            'Allow',
            'secretsmanager:GetSecretValue',
            'arn:aws:secretsmanager:us-west-2:111122223333:secret:client-secret-of-the-login-AbCdEf',
          ],
          ['Allow', 'secretsmanager:GetSecretValue', 'SessionKeySecret'],
        ]),
        ...logsOf('Function', '').slice(2),
      ],
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
    const permissions = Object.values(resourcesOf(template, 'AWS::Lambda::Permission')).map(
      ({ Properties }) => [
        readable(evaluate(Properties['FunctionName'])),
        Properties['Principal'],
        evaluate(Properties['SourceArn']).replace(/\{(\w+?)[0-9A-F]{8}\}(?:\.\w+)?/, '$1'),
      ],
    );
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
