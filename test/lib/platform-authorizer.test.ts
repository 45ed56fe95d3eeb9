import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Duration, Fn, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { MockIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../contract/read-settings.ts';
import { featureFlags } from '../../lib/feature-flags.ts';
import { maxRequiredScopesBytes } from '../../lib/platform/route-scopes.ts';
import { PlatformAuthorizer, type PlatformAuthorizerProps } from '../../lib/platform-authorizer.ts';
import { readerCondition, readTables } from './reader-condition.ts';
import { evaluate, propertiesOf, type Resource, resourcesOf, singleRegion } from './synthesise.ts';

let bundles: string;

beforeAll(() => {
  bundles = mkdtempSync(join(tmpdir(), 'platform-authorizer-'));
  mkdirSync(join(bundles, 'authorizer'));
  writeFileSync(join(bundles, 'authorizer/index.js'), 'exports.handler = async () => ({});\n');
});

afterAll(() => rmSync(bundles, { recursive: true }));

/** A platform team's stack: an API of three methods and the construct. */
function build(
  props: Partial<PlatformAuthorizerProps> = {},
  addMethods: (restApi: RestApi, authorizer: PlatformAuthorizer) => void = addMessages,
  addTopic?: (stack: Stack) => Topic,
): Template {
  const app = new App({ context: { ...featureFlags, 'aws:cdk:disable-stack-trace': true } });
  const stack = new Stack(app, 'Messaging', { env: { region: 'us-west-2' } });
  const restApi = new RestApi(stack, 'Api', { cloudWatchRole: false });
  const authorizer = new PlatformAuthorizer(stack, 'Authorizer', {
    restApi,
    issuer: 'https://auth.example.com',
    audiences: ['https://api.example.com'],
    bundles,
    ...(addTopic && { alarmTopic: addTopic(stack) }),
    ...props,
  });
  addMethods(restApi, authorizer);
  return Template.fromStack(stack);
}

function addMessages(restApi: RestApi, authorizer: PlatformAuthorizer): void {
  const messages = restApi.root.addResource('messages');
  messages.addMethod('GET', new MockIntegration(), authorizer.requireScopes('messaging:view'));
  messages.addMethod(
    'POST',
    new MockIntegration(),
    authorizer.requireScopes('messaging:view', 'messaging:manage'),
  );
  messages
    .addResource('{id}')
    .addMethod('ANY', new MockIntegration(), authorizer.requireCredential());
  restApi.root.addResource('open').addMethod('GET', new MockIntegration());
}

function only(template: Template, type: string): Resource {
  const [found, ...others] = Object.values(resourcesOf(template, type));
  if (found === undefined || others.length > 0) throw new Error(`not one ${type}`);
  return found;
}

function variablesOf(template: Template): Readonly<Record<string, string>> {
  return only(template, 'AWS::Lambda::Function').Properties['Environment'].Variables;
}

/** Permissions to read the tables, of which this is the beginning of their ARNs. */
function readStatements(tables: string): readonly unknown[] {
  return readTables.map((suffix) => ({
    Effect: 'Allow',
    Action: 'dynamodb:GetItem',
    Resource: `${tables}-${suffix}`,
    Condition: readerCondition(suffix),
  }));
}

describe('PlatformAuthorizer', () => {
  it('takes an issuer that only the deployment knows', () => {
    const { AUTH_SETTINGS } = variablesOf(build({ issuer: Fn.importValue('Issuer') }));
    expect(JSON.stringify(AUTH_SETTINGS)).toContain('"Fn::ImportValue":"Issuer"');
  });

  it('guards the methods that it was given to, and no other', () => {
    const template = build();
    const [authorizerId] = Object.keys(resourcesOf(template, 'AWS::ApiGateway::Authorizer'));
    const methods = propertiesOf(template, 'AWS::ApiGateway::Method').map((properties) => [
      properties['HttpMethod'],
      properties['AuthorizationType'],
      properties['AuthorizerId']?.Ref,
    ]);
    expect(methods.toSorted((a, b) => a.join().localeCompare(b.join()))).toEqual([
      ['ANY', 'CUSTOM', authorizerId],
      ['GET', 'CUSTOM', authorizerId],
      ['GET', 'NONE', undefined],
      ['POST', 'CUSTOM', authorizerId],
    ]);
  });

  it('writes an environment that the function reads', () => {
    expect(readSettings('authorizer', variablesOf(build()))).toEqual({
      issuer: 'https://auth.example.com',
      jwksUri: 'https://auth.example.com/.well-known/jwks.json',
      accessTokenType: 'at+jwt',
      audiences: ['https://api.example.com'],
      defaultAudience: 'https://api.example.com',
      clientsTable: 'authorization-server-clients',
      apiKeysTable: 'authorization-server-api-keys',
      identityProvidersTable: 'authorization-server-identity-providers',
      requiredScopes: {
        'GET /messages': 'messaging:view',
        'POST /messages': 'messaging:view messaging:manage',
        'ANY /messages/{id}': '',
      },
      apiKeyUsesTable: 'authorization-server-api-key-uses',
      resultCacheTtl: 0,
    });
  });

  it.each(['refuse', 'accept'] as const)('checks revocation if it is told to: %s', (choice) => {
    const template = build({ revocation: { onLookupFailure: choice } });
    const environment = readSettings('authorizer', variablesOf(template));
    expect(environment.revocationCheck).toBe(choice);
    // Clients of providers are looked up anyway, so the role needs no other permission.
    const [policy] = Object.values(resourcesOf(template, 'AWS::IAM::Policy'));
    const [usual] = Object.values(resourcesOf(build(), 'AWS::IAM::Policy'));
    expect(policy?.Properties).toEqual(usual?.Properties);
  });

  it.each([
    [{}, 'nothing'],
    [{ onLookupFailure: 'ignore' }, '"ignore"'],
  ])('refuses a check of revocation without a choice: %j', (revocation, received) => {
    expect(() => build({ revocation: revocation as never })).toThrow(
      `revocation.onLookupFailure: received ${received}; allowed: refuse or accept`,
    );
  });

  it('tells the function how tokens may be bound to keys', () => {
    const template = build({
      dpop: 'required',
      dpopOrigins: ['https://api.example.com'],
      dpopAlgorithms: ['ES256', 'PS256'],
    });
    expect(readSettings('authorizer', variablesOf(template))).toMatchObject({
      requireProof: true,
      dpopOrigins: ['https://api.example.com'],
      dpopAlgorithms: ['ES256', 'PS256'],
    });
  });

  it('never accepts providers on loopback, nor does any stack', () => {
    for (const template of [build(), singleRegion()]) {
      expect(JSON.stringify(template.toJSON())).not.toContain('AUTH_ALLOW_LOOPBACK_PROVIDERS');
    }
  });

  it('may read three tables by key, write last uses and its log, send traces, and nothing else', () => {
    const template = build();
    const statements = propertiesOf(template, 'AWS::IAM::Policy').flatMap(
      (properties) => evaluate(properties['PolicyDocument'].Statement) as readonly unknown[],
    );
    expect(statements).toEqual([
      {
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: expect.stringContaining('AuthorizerFunctionLogs'),
      },
      ...readStatements('arn:aws:dynamodb:us-west-2:111122223333:table/authorization-server'),
      {
        Effect: 'Allow',
        Action: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
        Resource: 'arn:aws:dynamodb:us-west-2:111122223333:table/authorization-server-api-key-uses',
        Condition: {
          'ForAllValues:StringLike': {
            'dynamodb:LeadingKeys': ['key_*'],
            'dynamodb:Attributes': ['use_id', 'used_on', 'expires_at'],
          },
          Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          StringEqualsIfExists: { 'dynamodb:ReturnValues': 'NONE' },
        },
      },
      {
        Effect: 'Allow',
        Action: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
        Resource: '*',
      },
    ]);
    expect(only(template, 'AWS::IAM::Role').Properties).not.toHaveProperty('ManagedPolicyArns');
  });

  it('reads the tables of another account and AWS region by their ARNs', () => {
    const tables = 'arn:aws:dynamodb:us-east-1:444455556666:table/authorization-server';
    const template = build({ tables });
    const statements = propertiesOf(template, 'AWS::IAM::Policy').flatMap(
      (properties) => evaluate(properties['PolicyDocument'].Statement) as readonly unknown[],
    );
    expect(statements).toEqual(expect.arrayContaining([...readStatements(tables)]));
    expect(JSON.stringify(statements)).not.toContain('111122223333:table');
    // A reader of another account may only read.
    expect(JSON.stringify(statements)).not.toContain('UpdateItem');
    expect(readSettings('authorizer', variablesOf(template))).not.toHaveProperty('apiKeyUsesTable');
    expect(readSettings('authorizer', variablesOf(template))).toMatchObject({
      clientsTable: `${tables}-clients`,
      apiKeysTable: `${tables}-api-keys`,
      identityProvidersTable: `${tables}-identity-providers`,
    });
  });

  it('reads the tables of tablesName', () => {
    expect(
      readSettings('authorizer', variablesOf(build({ tablesName: 'second' }))).clientsTable,
    ).toBe('second-clients');
  });

  it('records no last use if it is told so', () => {
    const template = build({ recordApiKeyUse: false });
    expect(readSettings('authorizer', variablesOf(template))).not.toHaveProperty('apiKeyUsesTable');
    expect(JSON.stringify(template.toJSON())).not.toContain('UpdateItem');
  });

  it('refuses to record the last use in the tables of another account', () => {
    const tables = 'arn:aws:dynamodb:us-east-1:444455556666:table/authorization-server';
    expect(() => build({ tables, recordApiKeyUse: true })).toThrow(
      'recordApiKeyUse: received true; allowed: nothing, since tables names tables that this API only reads',
    );
  });

  it('lets only this API invoke the function, as this authorizer', () => {
    const template = build();
    const { Properties } = only(template, 'AWS::Lambda::Permission');
    expect(Properties).toMatchObject({
      Action: 'lambda:InvokeFunction',
      Principal: 'apigateway.amazonaws.com',
    });
    expect(evaluate(Properties['SourceArn'])).toMatch(
      /^arn:aws:execute-api:us-west-2:111122223333:\{Api\w+\}\/authorizers\/\{Authorizer\w+\}$/,
    );
  });

  it('keeps no decision by default, and asks no one about a request without the header', () => {
    expect(only(build(), 'AWS::ApiGateway::Authorizer').Properties).toMatchObject({
      Type: 'REQUEST',
      AuthorizerResultTtlInSeconds: 0,
      IdentitySource: 'method.request.header.Authorization',
    });
  });

  it('keeps a decision only under everything that it depends on', () => {
    const template = build({ resultCacheTtl: Duration.minutes(2) });
    expect(only(template, 'AWS::ApiGateway::Authorizer').Properties).toMatchObject({
      AuthorizerResultTtlInSeconds: 120,
      IdentitySource:
        'method.request.header.Authorization,context.identity.sourceIp,context.httpMethod,context.path',
    });
    expect(readSettings('authorizer', variablesOf(template)).resultCacheTtl).toBe(120);
  });

  it('makes a new deployment of the API when the cache changes', () => {
    const deployment = (template: Template) =>
      Object.keys(resourcesOf(template, 'AWS::ApiGateway::Deployment'));
    const cached = build({ resultCacheTtl: Duration.minutes(2) });
    expect(deployment(build())).not.toEqual(deployment(cached));
    expect(deployment(build())).toEqual(deployment(build()));
  });

  describe('alarms', () => {
    const alarmsOf = (template: Template) =>
      propertiesOf(template, 'AWS::CloudWatch::Alarm').map((properties) => evaluate(properties));
    const find = (template: Template, text: string) =>
      alarmsOf(template).find(({ AlarmDescription }) => AlarmDescription.includes(text));

    it('are four without a fixed name, each with its page', () => {
      const found = alarmsOf(build());
      expect(found).toHaveLength(4);
      for (const { AlarmName, AlarmDescription, AlarmActions } of found) {
        expect([AlarmName, AlarmActions]).toEqual([undefined, undefined]);
        expect(AlarmDescription).toMatch(
          / 1\. .+ 2\. .+ More: docs\/runbook\/platform-authorizer\.md$/,
        );
      }
    });

    it('have a line each in that page', () => {
      const template = build({ revocation: { onLookupFailure: 'accept' } });
      const page = readFileSync('docs/runbook/platform-authorizer.md', 'utf8');
      const named = [...page.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
      const ids = Object.keys(resourcesOf(template, 'AWS::CloudWatch::Alarm'));
      // The last eight characters are a hash.
      expect(named.map((name = '') => `AuthorizerAlarms${name.replaceAll('-', '')}`)).toEqual(
        ids.map((id) => id.slice(0, -8)),
      );
    });

    it('notify the topic of the props when they begin and when they end', () => {
      const template = build({}, addMessages, (stack) => new Topic(stack, 'Topic'));
      for (const { AlarmActions, OKActions } of alarmsOf(template)) {
        expect(AlarmActions).toEqual([expect.stringMatching(/^\{Topic/)]);
        expect(OKActions).toEqual(AlarmActions);
      }
    });

    it('are not raised by refused credentials, which Lambda counts as errors', () => {
      const { Metrics, Threshold } = find(build(), 'refuses every credential');
      expect(Threshold).toBe(100);
      const [share, ...counts] = Metrics;
      expect(share.Expression).toBe('IF(invocations >= 21, 100 * errors / invocations, 0)');
      for (const { MetricStat } of counts) {
        expect(MetricStat.Metric.Dimensions).toEqual([
          { Name: 'FunctionName', Value: expect.stringMatching(/^\{AuthorizerFunctionHandler/) },
        ]);
      }
      const single = alarmsOf(build()).filter(({ MetricName }) => MetricName === 'Errors');
      expect(single).toEqual([]);
    });

    it('watch the failures that the function reports, in its namespace', () => {
      const template = build();
      expect(find(template, 'reaches no decision')).toMatchObject({
        Namespace: variablesOf(template)['AUTH_METRIC_NAMESPACE'],
        MetricName: 'Failures',
        Dimensions: [{ Name: 'service', Value: 'authorizer' }],
      });
    });

    it('watch tokens that are accepted without a look-up, only if that can be', () => {
      const accepting = build({ revocation: { onLookupFailure: 'accept' } });
      expect(find(accepting, 'without the look-up')).toMatchObject({
        MetricName: 'AcceptedWithoutLookup',
      });
      const refusing = build({ revocation: { onLookupFailure: 'refuse' } });
      expect(find(refusing, 'without the look-up')).toBeUndefined();
    });
  });

  it('answers no decision with 503 and Retry-After, if it is told to', () => {
    const found = propertiesOf(
      build({ failureStatus: 503 }),
      'AWS::ApiGateway::GatewayResponse',
    ).map((properties) => [
      properties['ResponseType'],
      properties['StatusCode'],
      properties['ResponseParameters']['gatewayresponse.header.Retry-After'],
      JSON.parse(properties['ResponseTemplates']['application/json']).error,
    ]);
    expect(found).toEqual([
      ['UNAUTHORIZED', '401', undefined, 'invalid_token'],
      ['ACCESS_DENIED', '403', undefined, 'insufficient_scope'],
      ['AUTHORIZER_FAILURE', '503', "'5'", 'temporarily_unavailable'],
      ['AUTHORIZER_CONFIGURATION_ERROR', '500', undefined, 'server_error'],
    ]);
  });

  it('lets pages read every refusal only if it is told whose, and leaves preflights open', () => {
    const corsOf = (template: Template) =>
      propertiesOf(template, 'AWS::ApiGateway::GatewayResponse').map(
        ({ ResponseParameters: headers }) => [
          headers['gatewayresponse.header.Access-Control-Allow-Origin'],
          headers['gatewayresponse.header.Access-Control-Expose-Headers'],
        ],
      );
    expect(corsOf(build())).toEqual(Array.from({ length: 4 }, () => [undefined, undefined]));
    const template = build({ allowOrigin: 'https://app.example.com' }, (restApi, authorizer) => {
      addMessages(restApi, authorizer);
      restApi.root
        .addResource('pages', { defaultMethodOptions: authorizer.requireCredential() })
        .addCorsPreflight({ allowOrigins: ['https://app.example.com'] });
    });
    const readable = ["'https://app.example.com'", "'WWW-Authenticate, Retry-After'"];
    expect(corsOf(template)).toEqual(Array.from({ length: 4 }, () => readable));
    const preflights = Object.values(resourcesOf(template, 'AWS::ApiGateway::Method')).filter(
      ({ Properties }) => Properties['HttpMethod'] === 'OPTIONS',
    );
    expect(preflights.map(({ Properties }) => Properties['AuthorizationType'])).toEqual(['NONE']);
    expect(preflights[0]?.Properties).not.toHaveProperty('AuthorizerId');
  });

  it('serves its metadata without a function, and names it in the challenges (RFC 9728)', () => {
    const resource = 'https://api.example.com/v1';
    const template = build({ audiences: ['https://api.example.com', resource], resource });
    const url = 'https://api.example.com/.well-known/oauth-protected-resource/v1';
    const challenges = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse').flatMap(
      (properties) =>
        properties['ResponseParameters']['gatewayresponse.header.WWW-Authenticate'] ?? [],
    );
    expect(challenges).toHaveLength(2);
    for (const challenge of challenges) {
      expect(challenge).toMatch(/^'Bearer realm="platform", error="[^']*'$/);
      expect(challenge).toContain(`, resource_metadata="${url}"'`);
    }
    const parts = propertiesOf(template, 'AWS::ApiGateway::Resource').map(
      (properties) => properties['PathPart'],
    );
    expect(parts).toEqual(
      expect.arrayContaining(['.well-known', 'oauth-protected-resource', 'v1']),
    );
    const methods = Object.values(resourcesOf(template, 'AWS::ApiGateway::Method'));
    const [found] = methods.filter(({ Properties }) =>
      JSON.stringify(Properties).includes('authorization_servers'),
    );
    expect(found?.Properties).toMatchObject({
      HttpMethod: 'GET',
      AuthorizationType: 'NONE',
      Integration: {
        Type: 'MOCK',
        RequestTemplates: { 'application/json': '{"statusCode": 200}' },
        IntegrationResponses: [
          {
            StatusCode: '200',
            ResponseTemplates: {
              'application/json': `{"resource":"${resource}","authorization_servers":["https://auth.example.com"],"bearer_methods_supported":["header"],"dpop_signing_alg_values_supported":["ES256","ES384","Ed25519","EdDSA","PS256","RS256","RS384"],"dpop_bound_access_tokens_required":false}`,
            },
          },
        ],
      },
    });
    expect(() => build({ resource: 'https://other.example.com' })).toThrow(
      'resource: received "https://other.example.com"; allowed: one of the audiences',
    );
  });

  it('answers refusals with the challenges of RFC 6750 and the errors in one shape', () => {
    const responses = propertiesOf(build(), 'AWS::ApiGateway::GatewayResponse').map(
      (properties) => ({
        type: properties['ResponseType'],
        status: properties['StatusCode'],
        challenge: properties['ResponseParameters']['gatewayresponse.header.WWW-Authenticate'],
        cache: properties['ResponseParameters']['gatewayresponse.header.Cache-Control'],
        body: properties['ResponseTemplates']['application/json'],
      }),
    );
    const cache = "'no-store'";
    const failure = '{"error":"server_error","error_description":"an unexpected error occurred"}';
    expect(responses).toEqual([
      {
        type: 'UNAUTHORIZED',
        status: '401',
        challenge: `'Bearer realm="platform", error="invalid_token", error_description="a valid access token or API key is required"'`,
        cache,
        body: '{"error":"invalid_token","error_description":"a valid access token or API key is required"}',
      },
      {
        type: 'ACCESS_DENIED',
        status: '403',
        challenge: `'Bearer realm="platform", error="insufficient_scope", error_description="the access token or API key lacks a scope that this request requires"'`,
        cache,
        body: '{"error":"insufficient_scope","error_description":"the access token or API key lacks a scope that this request requires","scope":"$context.authorizer.required_scope"}',
      },
      { type: 'AUTHORIZER_FAILURE', status: '500', challenge: undefined, cache, body: failure },
      {
        type: 'AUTHORIZER_CONFIGURATION_ERROR',
        status: '500',
        challenge: undefined,
        cache,
        body: failure,
      },
    ]);
  });

  const wrong: readonly [string, object, RegExp][] = [
    [
      'an issuer that no token has',
      { issuer: 'auth.example.com/' },
      /issuer: received "auth.example.com\/"; allowed: .*, "https:\/\/auth.example.com"/,
    ],
    ['no audience', { audiences: [] }, /audiences: received \[\]/],
    ['an audience with a space', { audiences: ['a b'] }, /without spaces/],
    ['tables with an invalid name', { tables: 'a b' }, /tables: received "a b"; allowed: the/],
    ['a bucket', { tables: 'arn:aws:s3:::authorization-server' }, /tables: received "arn:aws:s3/],
    [
      'tables by two names',
      { tables: 'one', tablesName: 'two' },
      /tablesName: received "two"; allowed: nothing/,
    ],
    [
      'tables that only the deployment knows',
      { tables: Fn.importValue('Tables') },
      /received a token of CDK/,
    ],
    [
      'a status of failures that is no such status',
      { failureStatus: 401 },
      /failureStatus: received 401; allowed: 500 or 503/,
    ],
    ...['', 'null', 'app.example.com', 'https://*', 'https://app.example.com/', "https://a'b"].map(
      (allowOrigin): [string, object, RegExp] => [
        `the origin ${allowOrigin}`,
        { allowOrigin },
        /allowOrigin: received "/,
      ],
    ),
    ['a realm with a quote', { realm: "it's" }, /realm: received "it's"/],
    ['a realm with a double quote', { realm: 'a"b' }, /printable ASCII/],
    [
      'a cache although tokens must be bound to keys',
      { dpop: 'required', resultCacheTtl: Duration.seconds(1) },
      /resultCacheTtl: received 1 s; allowed: 0, since dpop is required/,
    ],
    [
      'a choice about bound tokens that it does not know',
      { dpop: 'off' },
      /dpop: received "off"; allowed: allowed or required/,
    ],
    [
      'an origin with a path',
      { dpopOrigins: ['https://api.example.com/v1'] },
      /dpopOrigins: received \["https:\/\/api\.example\.com\/v1"\]; allowed: one origin or more/,
    ],
    [
      'an algorithm that no proof may have',
      { dpopAlgorithms: ['HS256'] },
      /dpopAlgorithms: received \["HS256"\]; allowed: of ES256/,
    ],
    [
      'a cache of two hours',
      { resultCacheTtl: Duration.hours(2) },
      /received 7200 s; allowed: at most 3600 s/,
    ],
    ['no bundle', { bundles: '/nonexistent' }, /there is no bundle of the authorizer/],
  ];

  it.each(wrong)('refuses %s', (_, props, message) => {
    expect(() => build(props)).toThrow(message);
  });

  it('refuses to require no scope, or two in one text', () => {
    const require = (...scopes: readonly string[]) =>
      build({}, (_, authorizer) => void authorizer.requireScopes(...scopes));
    expect(() => require()).toThrow(/received no scope/);
    expect(() => require('a b')).toThrow(/received "a b"/);
  });

  it('refuses more methods than the environment holds', () => {
    const addMany = (restApi: RestApi, authorizer: PlatformAuthorizer) => {
      for (let index = 0; index < 60; index += 1) {
        restApi.root
          .addResource(`a-rather-long-resource-name-${index}`)
          .addMethod('GET', new MockIntegration(), authorizer.requireScopes('messaging:view'));
      }
    };
    expect(() => build({}, addMany)).toThrow(`allowed: ${maxRequiredScopesBytes}`);
  });
});
