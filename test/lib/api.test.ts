import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import { gatewayErrors } from '../../contract/gateway-errors.ts';
import {
  authorizationPath,
  oauthAuthorizationServerPath,
  type Route,
  routesOf,
  throttlesOf,
} from '../../contract/routes.ts';
import {
  evaluate,
  propertiesOf,
  type Resource,
  readConfigFile,
  resourcesOf,
  settingsOf,
  singleRegion,
  synthesise,
} from './synthesise.ts';

let template: Template;
beforeAll(() => {
  template = singleRegion();
});

/** Logical id of an API Gateway resource → its path. */
function paths(of = template): Readonly<Record<string, string>> {
  const resources = resourcesOf(of, 'AWS::ApiGateway::Resource');
  const pathOf = (id: string): string => {
    const resource = resources[id];
    if (resource === undefined) return '';
    return `${pathOf(resource.Properties['ParentId'].Ref ?? '')}/${resource.Properties['PathPart']}`;
  };
  return Object.fromEntries(Object.keys(resources).map((id) => [id, pathOf(id)]));
}

function stage(): Resource {
  return Object.values(resourcesOf(template, 'AWS::ApiGateway::Stage'))[0] as Resource;
}

const served = routesOf({ authorizationEndpoint: false }).filter((route) => !route.atOrigin);

function methodsOf(route: Route): readonly string[] {
  return [...route.methods, 'ANY'];
}

describe('the routes without a domain', () => {
  it('are those of the table that do not stand at the origin, each method and ANY', () => {
    const found = propertiesOf(template, 'AWS::ApiGateway::Method').map(
      (properties) => `${properties['HttpMethod']} ${paths()[properties['ResourceId'].Ref]}`,
    );
    const expected = served.flatMap((route) => methodsOf(route).map((m) => `${m} ${route.path}`));
    expect(found).toHaveLength(expected.length);
    expect(new Set(found)).toEqual(new Set(expected));
  });

  it('leave out the RFC 8414 path, which would stand before the stage', () => {
    expect(Object.values(paths())).not.toContain(oauthAuthorizationServerPath);
  });

  it('reach the function that the table names, as a proxy', () => {
    for (const { Properties } of Object.values(resourcesOf(template, 'AWS::ApiGateway::Method'))) {
      const route = served.find(({ path }) => path === paths()[Properties['ResourceId'].Ref]);
      const { Type, IntegrationHttpMethod, Uri } = Properties['Integration'];
      expect([Type, IntegrationHttpMethod]).toEqual(['AWS_PROXY', 'POST']);
      const handler = `${route?.function.charAt(0).toUpperCase()}${route?.function.slice(1)}`;
      expect(evaluate(Uri)).toMatch(
        new RegExp(
          `^arn:aws:apigateway:us-west-2:lambda:path/2015-03-31/functions/\\{Functions${handler}Live\\w+\\}/invocations$`,
        ),
      );
    }
  });
});

describe('the authorization endpoint', () => {
  /** Everything that has a logical id, without the API's deployment, whose id is a hash of it all. */
  const resources = (of: Template) =>
    Object.entries(resourcesOf(of)).filter(
      ([, { Type }]) => Type !== 'AWS::ApiGateway::Deployment',
    );
  const withEndpoint = (authorizationEndpoint?: boolean): Template => {
    const config = { ...readConfigFile('single-region'), authorizationEndpoint };
    return synthesise(config).templates['AuthorizationServer-slc'] as Template;
  };

  it('is not there unless the config says so', () => {
    expect(Object.values(paths())).not.toContain(authorizationPath);
    expect(JSON.stringify(template.toJSON())).not.toMatch(/authorize"|AUTHORIZATION_ENDPOINT/);
    expect(withEndpoint(false).toJSON()).toEqual(template.toJSON());
  });

  it('adds its path, methods and permission, and a variable and a throttle', () => {
    const found = withEndpoint(true);
    const before = new Map(resources(template));
    const all = resources(found);
    const added = all.filter(([id]) => !before.has(id)).map(([, { Type }]) => Type);
    expect(added.toSorted()).toEqual([
      ...Array.from({ length: 4 }, () => 'AWS::ApiGateway::Method'),
      'AWS::ApiGateway::Resource',
      'AWS::Lambda::Permission',
      'AWS::Lambda::Version',
    ]);
    const changed = all.filter(
      ([id, resource]) =>
        before.has(id) && JSON.stringify(resource) !== JSON.stringify(before.get(id)),
    );
    expect(changed.map(([, { Type }]) => Type).toSorted()).toEqual([
      'AWS::ApiGateway::Stage',
      'AWS::Lambda::Alias',
      'AWS::Lambda::Function',
      'Custom::FirstSigningKey',
    ]);
    const path = Object.entries(paths(found)).find(([, value]) => value === authorizationPath)?.[0];
    const methods = propertiesOf(found, 'AWS::ApiGateway::Method')
      .filter((properties) => properties['ResourceId'].Ref === path)
      .map((properties) => {
        const handler = evaluate(properties['Integration'].Uri).match(/Functions(\w+?)Live/)?.[1];
        return `${properties['HttpMethod']} ${handler}`;
      });
    expect(new Set(methods)).toEqual(
      new Set(['ANY', 'GET', 'HEAD', 'POST'].map((method) => `${method} Discovery`)),
    );
    const discovery = Object.values(resourcesOf(found, 'AWS::Lambda::Function')).filter(
      ({ Properties }) => settingsOf(Properties).authorizationEndpoint === true,
    );
    expect(discovery).toHaveLength(1);
  });
});

describe('the stage', () => {
  it('has a throttle for each route and method, and a low one for everything else', () => {
    const throttles = throttlesOf(parseDeploymentConfig(readConfigFile('single-region')));
    const expected = [
      { path: '/*', method: '*', rateLimit: 100, burstLimit: 100 },
      ...served.flatMap((route) =>
        methodsOf(route).map((method) => ({
          path: `/${route.path.replaceAll('/', '~1')}`,
          method,
          ...throttles[route.throttle],
        })),
      ),
    ];
    expect(stage().Properties['MethodSettings']).toEqual(
      expected.map(({ path, method, rateLimit, burstLimit }) => ({
        ResourcePath: path,
        HttpMethod: method,
        ThrottlingRateLimit: rateLimit,
        ThrottlingBurstLimit: burstLimit,
        CachingEnabled: false,
        DataTraceEnabled: false,
        LoggingLevel: 'ERROR',
        MetricsEnabled: false,
      })),
    );
  });

  it('has no cache', () => {
    expect(stage().Properties['CacheClusterEnabled']).toBeUndefined();
    expect(stage().Properties['CacheClusterSize']).toBeUndefined();
  });

  it('writes its execution log into a group of the stack, which exists before it', () => {
    const groups = resourcesOf(template, 'AWS::Logs::LogGroup');
    const [api] = Object.keys(resourcesOf(template, 'AWS::ApiGateway::RestApi'));
    const [id] =
      Object.entries(groups).find(
        ([, { Properties }]) =>
          evaluate(Properties['LogGroupName']) === `API-Gateway-Execution-Logs_{${api}}/live`,
      ) ?? [];
    expect(stage().DependsOn).toContain(id);
  });

  it('has a literal name and is not traced', () => {
    expect(stage().Properties).toMatchObject({ StageName: 'live', TracingEnabled: false });
  });

  it('logs these fields of a request and nothing that the caller wrote', () => {
    const format = JSON.parse(stage().Properties['AccessLogSetting'].Format);
    expect(new Set(Object.values(format))).toEqual(
      new Set([
        '$context.authorizer.principalId',
        '$context.cipherSuite',
        '$context.domainName',
        '$context.error.responseType',
        '$context.httpMethod',
        '$context.identity.sourceIp',
        '$context.integrationLatency',
        '$context.requestId',
        '$context.requestTimeEpoch',
        '$context.resourcePath',
        '$context.responseLatency',
        '$context.status',
        '$context.tlsVersion',
      ]),
    );
  });

  it('starts after the account has a role for logs', () => {
    expect(stage().DependsOn).toEqual(
      expect.arrayContaining([expect.stringMatching(/^ApiGatewayAccount/)]),
    );
  });
});

describe('the API', () => {
  it('is reached only over IPv4, so that one address is one caller to the rate rule', () => {
    expect(JSON.stringify(template.toJSON())).not.toContain('dualstack');
    const [api] = Object.values(resourcesOf(template, 'AWS::ApiGateway::RestApi'));
    expect(api?.Properties['EndpointConfiguration']).toEqual({ Types: ['REGIONAL'] });
  });

  it('is regional and speaks TLS as its policy says, on its own host', () => {
    const [api] = Object.values(resourcesOf(template, 'AWS::ApiGateway::RestApi'));
    expect(api?.Properties).toMatchObject({
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
      DisableExecuteApiEndpoint: false,
    });
  });

  it('answers its own errors in the shape of the service', () => {
    const found = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse').map((properties) => {
      const { RestApiId: _, ...rest } = properties;
      return rest;
    });
    expect(found).toEqual(
      gatewayErrors.map(({ type, status, body, retryAfter }) => ({
        ResponseType: type,
        ...(status === undefined ? {} : { StatusCode: String(status) }),
        ResponseParameters: {
          'gatewayresponse.header.Cache-Control': "'no-store'",
          'gatewayresponse.header.Pragma': "'no-cache'",
          'gatewayresponse.header.Strict-Transport-Security':
            "'max-age=63072000; includeSubDomains'",
          'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
          ...(retryAfter === undefined
            ? {}
            : { 'gatewayresponse.header.Retry-After': `'${retryAfter}'` }),
        },
        ResponseTemplates: { 'application/json': JSON.stringify(body) },
      })),
    );
  });
});
