import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { type FunctionName, functionName } from '../../contract/function-names.ts';
import { settingsVariable } from '../../contract/read-settings.ts';
import { evaluate, type Resource, resourcesOf, settingsOf, singleRegion } from './synthesise.ts';

/** What Powertools reads, in addition to what the functions read themselves. */
const ofEach = ['AUTH_METRIC_NAMESPACE'];

const deployed: readonly FunctionName[] = [
  'token',
  'discovery',
  'jwks',
  'canary',
  'key-rotation',
  'synthetic-check',
  'deployment-check',
  'notices',
];

let template: Template;
beforeAll(() => {
  template = singleRegion();
});

function functionOf(name: FunctionName): Resource {
  const found = Object.values(resourcesOf(template, 'AWS::Lambda::Function')).find(
    ({ Properties }) => Properties['FunctionName'] === functionName('authorization-server', name),
  );
  if (found === undefined) throw new Error(`there is no function ${name}`);
  return found;
}

function environmentOf(name: FunctionName): Record<string, string> {
  return evaluate(functionOf(name).Properties['Environment'].Variables);
}

describe.each(deployed)('the %s function', (name) => {
  it('gets its settings, and no variable that no one reads', () => {
    expect(Object.keys(environmentOf(name)).toSorted()).toEqual([...ofEach, settingsVariable]);
  });

  it('fits the 4 KB that Lambda gives to an environment', () => {
    const bytes = Object.entries(environmentOf(name)).reduce(
      (sum, [key, value]) => sum + key.length + value.length,
      0,
    );
    expect(bytes).toBeLessThan(4096);
  });

  it('runs on Node.js 24 and arm64, with JSON logs of its own', () => {
    const { Properties } = functionOf(name);
    expect(Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      LoggingConfig: { LogFormat: 'JSON' },
    });
    expect(Properties).not.toHaveProperty('TracingConfig');
    const group = resourcesOf(template)[Properties['LoggingConfig'].LogGroup.Ref];
    expect(group?.Properties['LogGroupName']).toBe(`/aws/lambda/authorization-server-${name}`);
  });
});

describe('the functions', () => {
  it('have these sizes and limits', () => {
    const sizes = deployed.map((name) => {
      const { MemorySize, Timeout } = functionOf(name).Properties;
      return [name, MemorySize, Timeout];
    });
    expect(sizes).toEqual([
      ['token', 1769, 10],
      ['discovery', 1024, 10],
      ['jwks', 1024, 10],
      ['canary', 512, 60],
      ['key-rotation', 512, 840],
      ['synthetic-check', 512, 60],
      ['deployment-check', 512, 240],
      ['notices', 1769, 900],
    ]);
  });

  it('may nowhere reach an identity provider on loopback', () => {
    expect(JSON.stringify(template.toJSON())).not.toContain('AUTH_ALLOW_LOOPBACK_PROVIDERS');
  });

  it('derive the issuer from the API if there is no domain', () => {
    const issuer = settingsOf(functionOf('token').Properties).issuer;
    expect(issuer).toMatch(
      /^https:\/\/\{ApiRestApi\w+\}\.execute-api\.us-west-2\.amazonaws\.com\/live$/,
    );
    expect(settingsOf(functionOf('discovery').Properties).issuer).toBe(issuer);
    expect(settingsOf(functionOf('key-rotation').Properties).issuer).toBe(issuer);
    expect(settingsOf(functionOf('discovery').Properties).regionalTokenEndpoints).toEqual({
      slc: `${issuer}/api/v1/oauth/token`,
    });
  });
});

describe('what runs by the clock', () => {
  it.each([
    ['key-rotation', 'Rotation', { action: 'reconcile' }],
    ['canary', 'Canary', {}],
    ['synthetic-check', 'SyntheticCheck', {}],
  ] as const)('%s every five minutes', (name, rule, event) => {
    const found = Object.values(resourcesOf(template, 'AWS::Events::Rule')).find(
      ({ Properties }) => Properties['Description'] === `Runs the ${name} function`,
    );
    expect(found?.Properties['ScheduleExpression'], rule).toBe('rate(5 minutes)');
    expect(JSON.parse(found?.Properties['Targets'][0].Input)).toEqual(event);
    expect(found?.Properties['Targets'][0].RetryPolicy).toEqual({
      MaximumEventAgeInSeconds: 300,
      MaximumRetryAttempts: 0,
    });
  });
});

describe('the notices', () => {
  it('are sent once a day, with the time of the schedule in each retry', () => {
    const found = Object.values(resourcesOf(template, 'AWS::Events::Rule')).find(
      ({ Properties }) => Properties['ScheduleExpression'] === 'cron(0 12 * * ? *)',
    );
    expect(found?.Properties['Targets']).toMatchObject([
      {
        InputTransformer: {
          InputPathsMap: { time: '$.time' },
          InputTemplate: '{"scheduled_time":<time>}',
        },
        RetryPolicy: { MaximumEventAgeInSeconds: 7200, MaximumRetryAttempts: 10 },
      },
    ]);
  });

  it('go to a bus on which no one else may put events', () => {
    expect(Object.values(resourcesOf(template, 'AWS::Events::EventBus'))).toMatchObject([
      {
        DeletionPolicy: 'RetainExceptOnCreate',
        Properties: { Name: 'authorization-server-notices' },
      },
    ]);
    const [policy] = Object.values(resourcesOf(template, 'AWS::Events::EventBusPolicy'));
    expect(evaluate(policy?.Properties['Statement'])).toMatchObject({
      Effect: 'Deny',
      Principal: { AWS: '*' },
      Action: 'events:PutEvents',
      Condition: { ArnNotEquals: { 'aws:PrincipalArn': expect.stringContaining('Notices') } },
    });
  });
});

describe('the first signing key', () => {
  const firstKey = () => Object.entries(resourcesOf(template, 'Custom::FirstSigningKey'));

  it('has 15 minutes, after tables, roles and functions', () => {
    const [[, resource] = []] = firstKey();
    expect(resource?.Properties).toMatchObject({
      // The function itself, which CloudFormation invokes: no role of the stack does.
      ServiceToken: {
        'Fn::GetAtt': [expect.stringMatching(/^FunctionsKeyRotationHandler/), 'Arn'],
      },
      ServiceTimeout: '900',
    });
    const after = (resource?.DependsOn ?? []).map((id) =>
      id.replace(/[0-9A-F]{8}(?:\w{32})?$/, ''),
    );
    expect(after).toEqual(
      expect.arrayContaining([
        'SigningKeysTable',
        'AuditTable',
        'FunctionsTokenHandler',
        'FunctionsTokenRole',
        'FunctionsTokenRoleDefaultPolicy',
        'FunctionsCanaryRoleDefaultPolicy',
        'FunctionsKeyRotationRoleDefaultPolicy',
      ]),
    );
  });

  it('tests new code before requests reach it, so that its failure moves no alias', () => {
    const [[id, resource] = []] = firstKey();
    const aliases = Object.entries(resourcesOf(template, 'AWS::Lambda::Alias')).filter(([alias]) =>
      alias.includes('Live'),
    );
    expect(aliases).toHaveLength(3);
    for (const [alias, { DependsOn }] of aliases) {
      expect(DependsOn, alias).toContain(id);
      expect(resource?.DependsOn, alias).not.toContain(alias);
    }
  });

  it.each([
    ['TokenVersion', /^FunctionsTokenHandlerCurrentVersion/],
    ['RotationVersion', /^FunctionsKeyRotationHandlerCurrentVersion/],
  ])('runs again when its %s changes', (property, version) => {
    const [[, resource] = []] = firstKey();
    expect(resource?.Properties[property]).toEqual({ Ref: expect.stringMatching(version) });
  });
});
