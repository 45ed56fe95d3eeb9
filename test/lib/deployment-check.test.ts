import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseDeploymentCheckProperties } from '../../contract/deployment-check.ts';
import { type Resource, readConfigFile, resourcesOf, synthesise } from './synthesise.ts';

function region(config: 'single-region' | 'three-regions', more: object = {}): Template {
  const { templates } = synthesise({ ...readConfigFile(config), ...more });
  return templates['AuthorizationServer-slc'] as Template;
}

let resources: Readonly<Record<string, Resource>>;
let checkId: string;
beforeAll(() => {
  resources = resourcesOf(region('single-region'));
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

  it('waits for its own function, its permissions, and the table of keys', () => {
    const needed = [...before(checkId)].map((id) => id.replace(/[0-9A-F]{8}(?:\w{32})?$/, ''));
    expect(new Set(needed)).toEqual(
      new Set([
        'DeploymentCheck',
        'FunctionsDeploymentCheckHandler',
        'FunctionsDeploymentCheckLogs',
        'FunctionsDeploymentCheckRole',
        'FunctionsDeploymentCheckRoleDefaultPolicy',
        'SigningKeysTable',
      ]),
    );
  });

  it('ends before CloudFormation stops waiting for it', () => {
    const { Properties } = resources[checkId] as Resource;
    const [handler = ''] = Properties['ServiceToken']['Fn::GetAtt'];
    expect(resources[handler]?.Properties['Timeout']).toBe(240);
    expect(Properties['ServiceTimeout']).toBe('300');
  });

  it('asks again when the algorithms or the regions change, in a form that it reads', () => {
    const properties = (template: Template) => {
      const [{ Properties }] = Object.values(resourcesOf(template, 'Custom::DeploymentCheck')) as [
        Resource,
      ];
      return parseDeploymentCheckProperties(Properties);
    };
    expect(properties(region('single-region'))).toEqual({
      SigningAlgorithms: ['RS256'],
      Regions: ['slc'],
    });
    const signingAlgorithms = ['PS256', 'RS256'];
    expect(properties(region('three-regions', { signingAlgorithms }))).toEqual({
      SigningAlgorithms: signingAlgorithms,
      Regions: ['slc', 'dfw', 'pit'],
    });
  });
});
