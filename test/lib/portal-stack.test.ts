// CloudFormation has no types here: a template is asserted, property by property.
/* oxlint-disable typescript/no-explicit-any */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import { portalConfig } from '../../lab/support/portal-config.ts';
import { addAuthorizationServer } from '../../lib/authorization-server.ts';
import { root } from '../architecture/source-files.ts';
import {
  evaluate,
  readConfigFile,
  resourcesOf,
  synthesise,
  withStubBundles,
} from './synthesise.ts';

const config = readConfigFile('single-region');
const withPortal = { ...config, portal: portalConfig };

let templates: Readonly<Record<string, Template>>;
let portal: Template;
beforeAll(() => {
  ({ templates } = synthesise(withPortal, { checked: true }));
  portal = templates['AuthorizationServer-portal'] as Template;
});

function only(type: string): any {
  const found = Object.values(resourcesOf(portal, type));
  expect(found).toHaveLength(1);
  return evaluate(found[0]?.Properties);
}

describe('the portal', () => {
  it('is one stack more, and changes no other', () => {
    const { templates: without } = synthesise(config);
    expect(Object.keys(templates)).toEqual([...Object.keys(without), 'AuthorizationServer-portal']);
    // What it may take of the account's concurrency is limited in the function that it invokes, and
    // the deployment check compares it with the account's quota.
    const reserved = ',"ReservedConcurrentExecutions":60';
    const ofCheck = /^(?:DeploymentCheck|FunctionsDeploymentCheckRoleDefaultPolicy)/;
    const withoutCheck = (text: string) => {
      const { Resources, ...rest } = JSON.parse(text) as { Resources: object };
      const others = Object.entries(Resources).filter(([id]) => !ofCheck.test(id));
      expect(others).toHaveLength(Object.keys(Resources).length - 2);
      return { ...rest, Resources: Object.fromEntries(others) };
    };
    for (const [name, template] of Object.entries(without)) {
      const found = JSON.stringify(templates[name]?.toJSON()).replace(reserved, '');
      expect(withoutCheck(found), name).toEqual(withoutCheck(JSON.stringify(template.toJSON())));
    }
  });

  it.each(['slc', 'dfw', 'pit'] as const)('is in its region, after it: %s', (region) => {
    const three = readConfigFile('three-regions');
    const awsRegion = three.regions[region]?.awsRegion ?? '';
    const arn = `arn:aws:secretsmanager:${awsRegion}:111122223333:secret:login-AbCdEf`;
    const login = { ...portalConfig.login, clientSecretArn: arn };
    const { app } = synthesise({ ...three, portal: { ...portalConfig, region, login } });
    const stack = app.synth().getStackByName('AuthorizationServer-portal');
    expect(stack.environment.region).toBe(awsRegion);
    expect(stack.dependencies.map(({ id }) => id)).toContain(`AuthorizationServer-${region}`);
  });

  it('is one function, which no one but its own API invokes', () => {
    expect(only('AWS::Lambda::Function')).toMatchObject({
      FunctionName: 'authorization-server-portal',
      MemorySize: 1769,
      Timeout: 28,
    });
    expect(only('AWS::Lambda::Permission')).toMatchObject({
      Principal: 'apigateway.amazonaws.com',
      SourceArn: expect.stringMatching(/:execute-api:us-west-2:.*\/live\/\*\/\*$/),
    });
  });

  it('has no secret in the environment of the function', () => {
    const { Variables } = only('AWS::Lambda::Function').Environment;
    expect(Object.keys(Variables).toSorted()).toEqual(['AUTH_METRIC_NAMESPACE', 'AUTH_SETTINGS']);
  });

  it('is an API with a domain of its own, and closed under every other name', () => {
    expect(only('AWS::ApiGateway::RestApi')).toMatchObject({
      DisableExecuteApiEndpoint: true,
      EndpointAccessMode: 'STRICT',
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointConfiguration: { Types: ['REGIONAL'] },
    });
    expect(only('AWS::ApiGateway::DomainName')).toMatchObject({
      DomainName: 'portal.example.com',
      EndpointAccessMode: 'STRICT',
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
    });
    expect(only('AWS::Route53::RecordSet')).toMatchObject({ Name: 'portal.example.com.' });
  });

  it('logs no query, header or body', () => {
    const { AccessLogSetting, MethodSettings } = only('AWS::ApiGateway::Stage');
    expect(MethodSettings).toEqual([
      expect.objectContaining({ DataTraceEnabled: false, CachingEnabled: false }),
    ]);
    const { resource_path, ...others } = JSON.parse(AccessLogSetting.Format);
    expect(resource_path).toBe('$context.resourcePath');
    expect(JSON.stringify(others)).not.toMatch(/\$context\.path|header|querystring|body/i);
  });

  it('has a web ACL: floods, large forms and known attacks', () => {
    const { Rules, Name } = only('AWS::WAFv2::WebACL');
    expect(Name).toBe('authorization-server-portal');
    expect(Rules.map((rule: any) => rule.Name)).toEqual([
      'portal-rate',
      'body-size',
      'known-bad-inputs',
    ]);
    expect(Rules[0].Statement.RateBasedStatement).toMatchObject({ Limit: 1000 });
    expect(Rules[0].Statement.RateBasedStatement.ScopeDownStatement).toBeUndefined();
    expect(Rules[1].Statement.SizeConstraintStatement.Size).toBe(16 * 1024);
    only('AWS::WAFv2::WebACLAssociation');
    const redacted = JSON.stringify(only('AWS::WAFv2::LoggingConfiguration').RedactedFields);
    expect(redacted).toContain('cookie');
    expect(redacted).toContain('QueryString');
  });

  it('has no table, no key of KMS and no topic of its own', () => {
    const types = new Set(Object.values(resourcesOf(portal)).map(({ Type }) => Type));
    expect([...types].filter((type) => /DynamoDB|KMS|SNS|Cognito/.test(type))).toEqual([]);
  });

  it('draws the key of its sessions, and does not keep it', () => {
    const [secret] = Object.values(resourcesOf(portal, 'AWS::SecretsManager::Secret'));
    expect(secret?.Properties['GenerateSecretString']).toEqual({
      ExcludePunctuation: true,
      PasswordLength: 64,
    });
    expect(secret?.Properties['Name']).toBeUndefined();
    expect(secret?.DeletionPolicy).toBe('Delete');
  });

  it('keeps its logs for longer than a year', () => {
    const groups = Object.values(resourcesOf(portal, 'AWS::Logs::LogGroup'));
    const names = groups.map(({ Properties }) => String(evaluate(Properties['LogGroupName'])));
    expect(names.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      '/aws/apigateway/authorization-server-portal/access',
      '/aws/lambda/authorization-server-portal',
      expect.stringMatching(/^API-Gateway-Execution-Logs_.*\/live$/),
      'aws-waf-logs-authorization-server-portal',
    ]);
    expect(groups.map(({ Properties }) => Properties['RetentionInDays'])).toEqual([
      400, 400, 400, 400,
    ]);
  });

  it('is refused with a secret of another account, if the app names its own', () => {
    const added = { ...readConfigFile('single-region'), portal: portalConfig };
    const add = (account: string) =>
      withStubBundles((bundles) => {
        addAuthorizationServer(new App(), parseDeploymentConfig(added), {
          bundles,
          env: { account },
        });
      });
    expect(() => add('444455556666')).toThrow(
      'portal.login.clientSecretArn: received a secret of the account 111122223333; allowed: one of 444455556666',
    );
    expect(() => add('111122223333')).not.toThrow();
  });

  it('shows what its gateway refuses as a page, and compresses its own', () => {
    const responses = Object.values(resourcesOf(portal, 'AWS::ApiGateway::GatewayResponse'));
    const pageOf = (type: string) =>
      responses.find(({ Properties }) => Properties['ResponseType'] === type)?.Properties[
        'ResponseTemplates'
      ];
    for (const type of ['WAF_FILTERED', 'THROTTLED', 'INTEGRATION_FAILURE', 'DEFAULT_5XX']) {
      // Velocity reads # and $.
      expect(pageOf(type)).toEqual({
        'text/html': expect.stringMatching(/^<!doctype html>[^#$]+$/),
      });
    }
    expect(pageOf('THROTTLED')['text/html']).toContain('Wait a moment, and load the page again.');
    const [api] = Object.values(resourcesOf(portal, 'AWS::ApiGateway::RestApi'));
    expect(api?.Properties['MinimumCompressionSize']).toBe(1024);
  });

  it('has alarms with a page each, on the topic of its region', () => {
    const alarms = Object.values(resourcesOf(portal, 'AWS::CloudWatch::Alarm'));
    const names = alarms.map(({ Properties }) => String(Properties['AlarmName']));
    expect(names.toSorted()).toEqual(
      ['certificate-expiry', 'errors', 'function-errors', 'function-throttled'].map(
        (id) => `authorization-server-slc-portal-${id}`,
      ),
    );
    for (const { Properties } of alarms) {
      const page = /docs\/runbook\/[a-z-]+\.md/.exec(Properties['AlarmDescription'])?.[0] ?? '';
      expect(existsSync(join(root, page)), page).toBe(true);
      expect(evaluate(Properties['AlarmActions'])).toEqual([
        'arn:aws:sns:us-west-2:111122223333:authorization-server-alarms',
      ]);
    }
  });
});
