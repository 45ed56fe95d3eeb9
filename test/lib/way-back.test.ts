import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TemplateResource } from '../../lab/support/template-changes/template.ts';
import { importMapping } from '../../lab/tools/import-mapping.ts';
import { type Resource, readConfigFile, resourcesOf, synthesise } from './synthesise.ts';

type Resources = Readonly<Record<string, Resource & { readonly UpdatePolicy?: object }>>;

let gradual: Resources;
let immediate: Resources;
beforeAll(() => {
  const config = readConfigFile('three-regions');
  const region = (gradualDeployment: boolean) =>
    synthesise({ ...config, gradualDeployment }).templates['AuthorizationServer-slc'] as Template;
  gradual = resourcesOf(region(true));
  immediate = resourcesOf(region(false));
});

const ofType = (resources: Resources, type: string) =>
  Object.values(resources).filter((resource) => resource.Type === type);

/** The aliases that requests arrive through. */
const liveAliases = (resources: Resources) =>
  ofType(resources, 'AWS::Lambda::Alias').filter(({ Properties }) => Properties['Name'] === 'live');

describe('a version that a deployment replaces', () => {
  it('stays, so that the alias can go back to it at once', () => {
    const versions = ofType(gradual, 'AWS::Lambda::Version');
    expect(versions.length).toBeGreaterThanOrEqual(3);
    for (const version of versions) {
      // A version of a deployment that failed goes.
      expect(version.DeletionPolicy).toBe('RetainExceptOnCreate');
      expect(version.UpdateReplacePolicy).toBe('Retain');
    }
  });

  it('goes with its function, so that a new stack has nothing to import', () => {
    const versions = Object.entries(gradual).filter(
      ([, { Type }]) => Type === 'AWS::Lambda::Version',
    );
    expect(importMapping(Object.fromEntries(versions) as Record<string, TemplateResource>)).toEqual(
      {},
    );
  });
});

describe('the repair of a deployment whose alarms are on', () => {
  it('is gradual, and so refused by CodeDeploy, with gradualDeployment', () => {
    for (const alias of liveAliases(gradual)) {
      expect(alias.UpdatePolicy).toHaveProperty('CodeDeployLambdaAliasUpdate');
    }
    const groups = ofType(gradual, 'AWS::CodeDeploy::DeploymentGroup');
    expect(groups).toHaveLength(3);
    for (const { Properties } of groups) {
      expect(Properties['AlarmConfiguration']).toMatchObject({ Enabled: true });
    }
  });

  it('moves each alias at once without it, and changes nothing else', () => {
    for (const alias of liveAliases(immediate)) {
      expect(alias.UpdatePolicy).toBeUndefined();
    }
    const only = (a: Resources, b: Resources) =>
      Object.keys(a).filter((id) => b[id] === undefined && !id.startsWith('GradualDeployment'));
    expect(only(immediate, gradual)).toEqual([]);
    // The alarm on refusals by version, and the counts that it needs, are for CodeDeploy.
    for (const id of only(gradual, immediate))
      expect(id).toMatch(/VersionAlarm|VersionIssued|VersionRefused/);
    const same = Object.keys(immediate).filter((id) => !id.includes('Live'));
    for (const id of same) {
      if (gradual[id]?.Type === 'AWS::CloudWatch::Dashboard') continue;
      expect(gradual[id], id).toEqual(immediate[id]);
    }
  });
});
