import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseDeploymentCheckProperties, raisedQuotas } from '../../contract/deployment-check.ts';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import { evaluate, type Resource, readConfigFile, resourcesOf, synthesise } from './synthesise.ts';

function region(config: 'single-region' | 'three-regions', more: object = {}): Template {
  const { templates } = synthesise({ ...readConfigFile(config), ...more });
  return templates['AuthorizationServer-slc'] as Template;
}

function withoutHash(id: string): string {
  return id.replace(/[0-9A-F]{8}(?:\w{32})?$/, '');
}

/** What the check runs with. */
const ownResources = new Set(
  ['Handler', 'Logs', 'Role', 'RoleDefaultPolicy'].map((id) => `FunctionsDeploymentCheck${id}`),
);

let resources: Readonly<Record<string, Resource>>;
let checkId: string;
const templates = {} as Record<'single-region' | 'three-regions', Template>;
beforeAll(() => {
  templates['single-region'] = region('single-region');
  templates['three-regions'] = region('three-regions');
});
beforeEach(() => {
  resources = resourcesOf(templates['single-region']);
  checkId = idOf('Custom::DeploymentCheck');
});

function idOf(type: string): string {
  const [id] = Object.entries(resources).find(([, resource]) => resource.Type === type) ?? [''];
  return id;
}

/** Every resource that CloudFormation finishes before this one, by logical id. */
function before(id: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  const resource = resources[id];
  if (resource === undefined || seen.has(id)) return seen;
  seen.add(id);
  for (const other of references(resource)) before(other, seen);
  return seen;
}

function references(value: unknown): readonly string[] {
  if (typeof value === 'string') return value in resources ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(references);
}

function policyOf(name: string): string {
  const [roleId] =
    Object.entries(resources).find(
      ([, { Type, Properties }]) =>
        Type === 'AWS::IAM::Role' && Properties['RoleName'] === `authorization-server-slc-${name}`,
    ) ?? [];
  const [id = ''] =
    Object.entries(resources).find(
      ([, { Type, Properties }]) =>
        Type === 'AWS::IAM::Policy' && Properties['Roles'][0].Ref === roleId,
    ) ?? [];
  return id;
}

describe('the deployment check', () => {
  it.each(['single-region', 'three-regions'] as const)(
    'is over before anything else of %s changes, except what it runs with',
    (config) => {
      resources = resourcesOf(templates[config]);
      checkId = idOf('Custom::DeploymentCheck');
      const early = Object.keys(resources).filter((id) => !before(id).has(checkId));
      expect(new Set(early.map(withoutHash))).toEqual(ownResources);
    },
  );

  it.each(['token', 'canary', 'key-rotation', 'discovery', 'jwks', 'synthetic-check'])(
    'is over before the permissions of %s change, and does not wait for them',
    (name) => {
      const policy = policyOf(name);
      expect(policy).toMatch(/RoleDefaultPolicy/);
      expect(before(policy)).toContain(checkId);
      expect(before(checkId)).not.toContain(policy);
    },
  );

  it('is over before the discovery document changes', () => {
    const discovery = Object.keys(resources).find((id) => id.startsWith('FunctionsDiscoveryLive'));
    expect(before(discovery ?? '')).toContain(checkId);
  });

  it('waits for its own function and its permissions only', () => {
    expect(new Set([...before(checkId)].map(withoutHash))).toEqual(
      new Set(['DeploymentCheck', ...ownResources]),
    );
  });

  it('ends before CloudFormation stops waiting for it', () => {
    const { Properties } = resources[checkId] as Resource;
    const [handler = ''] = Properties['ServiceToken']['Fn::GetAtt'];
    expect(resources[handler]?.Properties['Timeout']).toBe(240);
    expect(Properties['ServiceTimeout']).toBe('300');
  });

  it('asks again when the algorithms, the regions or a literal change, in a form that it reads', () => {
    const properties = (template: Template) => {
      const [{ Properties }] = Object.values(resourcesOf(template, 'Custom::DeploymentCheck')) as [
        Resource,
      ];
      return parseDeploymentCheckProperties(Properties);
    };
    expect(properties(templates['single-region'])).toEqual({
      SigningAlgorithms: ['RS256'],
      Regions: ['slc'],
      Literals: {
        defaultAudience: 'https://api.example.com',
        clientsTable: 'authorization-server-clients',
      },
      Former: {},
      Reservations: [],
      Quotas: [],
    });
    const signingAlgorithms = ['PS256', 'RS256'];
    expect(properties(region('three-regions', { signingAlgorithms }))).toEqual({
      SigningAlgorithms: signingAlgorithms,
      Quotas: [],
      Regions: ['slc', 'dfw', 'pit'],
      Literals: {
        issuer: 'https://auth.example.com',
        defaultAudience: 'https://api.example.com',
        clientsTable: 'authorization-server-clients',
      },
      Former: {},
      Reservations: [
        { name: 'token', key: 'reservedConcurrency.token', executions: 400 },
        { name: 'discovery', key: 'reservedConcurrency.discovery', executions: 200 },
        { name: 'jwks', key: 'reservedConcurrency.jwks', executions: 200 },
      ],
    });
    const former = {
      tablesName: 'second',
      formerTablesName: 'authorization-server',
      formerIssuer: 'https://a1.execute-api.us-west-2.amazonaws.com/live',
      formerDefaultAudience: 'https://old.example.com',
    };
    expect(properties(region('three-regions', former)).Former).toEqual({
      issuer: former.formerIssuer,
      defaultAudience: former.formerDefaultAudience,
      clientsTable: 'authorization-server-clients',
    });
  });

  it.each([
    [{ kmsSignQuota: 2000 }, 'us-west-2', ['kms L-2AC98190 2000 of 1000']],
    [
      { kmsSignQuota: 1500, signingAlgorithms: ['ES256'] },
      'us-west-2',
      ['kms L-DC14942D 1500 of 1000'],
    ],
    [{ kmsSignQuota: 1000, apiGatewayQuota: 10_000 }, 'us-west-2', []],
    [{ kmsSignQuota: 2000, signingAlgorithms: ['ML-DSA-44'] }, 'us-west-2', []],
    [{ apiGatewayQuota: 10_000 }, 'eu-south-1', ['apigateway L-8A5B8E43 10000 of 2500']],
    [{ apiGatewayQuota: 2500 }, 'eu-south-1', []],
  ])('asks about the quotas that %o in %s must have had raised', (more, awsRegion, asked) => {
    const config = { ...readConfigFile('single-region'), regions: { slc: { awsRegion } }, ...more };
    const quotas = raisedQuotas(parseDeploymentConfig(config), 'slc');
    expect(
      quotas.map(
        ({ service, code, value, standard }) => `${service} ${code} ${value} of ${standard}`,
      ),
    ).toEqual(asked);
  });

  it('may read quotas and reservations, if the config reserves anything or raises a quota', () => {
    const statementsOf = (template: Template) => {
      const policies = Object.entries(resourcesOf(template, 'AWS::IAM::Policy'));
      const [, own] = policies.find(([id]) => id.startsWith('FunctionsDeploymentCheck')) ?? [];
      const all = evaluate(own?.Properties['PolicyDocument'].Statement) as readonly {
        readonly Action: string;
        readonly Resource: unknown;
      }[];
      return all
        .filter(({ Action }) => /Account|Concurrency|servicequotas/.test(Action))
        .map(({ Action, Resource }) => [Action, Resource]);
    };
    const arn = (name: string) =>
      `arn:aws:lambda:us-west-2:111122223333:function:authorization-server-${name}`;
    expect(statementsOf(templates['single-region'])).toEqual([]);
    expect(statementsOf(templates['three-regions'])).toEqual([
      ['lambda:GetAccountSettings', '*'],
      ['lambda:GetFunctionConcurrency', ['discovery', 'jwks', 'token'].map(arn)],
    ]);
    for (const raised of [{ kmsSignQuota: 2000 }, { apiGatewayQuota: 10_001 }]) {
      expect(statementsOf(region('single-region', raised))).toEqual([
        ['servicequotas:GetServiceQuota', '*'],
      ]);
    }
  });
});
