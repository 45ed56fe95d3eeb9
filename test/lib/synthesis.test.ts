import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { App, Stack, Validations } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkAgainstRulePacks } from '../../bin/rule-packs.ts';
import { maxScopesSupportedBytes } from '../../contract/function-settings.ts';
import { buildProject } from '../../lab/create/project.ts';
import { configOf } from '../../lab/prove/deployment.ts';
import { portalConfig } from '../../lab/support/portal-config.ts';
import { findHarm } from '../../lab/support/template-changes/find-harm.ts';
import type { Template as Kept } from '../../lab/support/template-changes/template.ts';
import { readDeploymentConfigFile } from '../../lib/deployment-config-file.ts';
import { featureFlags } from '../../lib/feature-flags.ts';
import { functionBundle } from '../../lib/functions/function-bundles.ts';
import { readConfigFile, resourcesOf, settingsOf, synthesise } from './synthesise.ts';

const root = resolve(import.meta.dirname, '../..');

describe('the scanners', () => {
  // The scanners are part of CDK's validation, which the other tests leave out for its time.
  beforeEach(() => vi.stubEnv('CDK_VALIDATION', 'true'));
  afterEach(() => vi.unstubAllEnvs());

  const domain = {
    name: 'auth.example.com',
    hostedZoneId: 'Z0123456789ABC',
    hostedZoneName: 'example.com',
  };
  const lines = { domain, witnessAwsRegion: 'us-east-1' };
  const trial = { name: 'trial', account: '111122223333' };
  it.each([
    ['single-region', readConfigFile('single-region')],
    ['three-regions', readConfigFile('three-regions')],
    ['the config of a trial', configOf({ ...trial, awsRegions: ['us-west-2'] })],
    ['that of two regions', configOf({ ...trial, lines, awsRegions: ['us-west-2', 'us-east-2'] })],
  ])('find nothing in %s that is not acknowledged', (_, config) => {
    expect(() => synthesise(config, { checked: true })).not.toThrow();
  });

  it('end a synthesis that they find something in', () => {
    const app = new App({ context: featureFlags });
    const stack = new Stack(app, 'Stack');
    Validations.of(new Bucket(stack, 'Bucket'));
    checkAgainstRulePacks(app);
    expect(() => app.synth()).toThrow();
  });
});

describe('the feature flags', () => {
  it('are the same for a clone, whose cdk.json has none, as for a project', () => {
    const cdkJson = JSON.parse(readFileSync(join('cdk.json'), 'utf8')) as object;
    expect(cdkJson).not.toHaveProperty('context');
    const project = buildProject(
      { awsRegion: 'us-west-2', audience: 'https://api.example.com' },
      { own: () => '1', cdkLib: '1', cdk: '1', constructs: '1' },
    );
    expect(JSON.parse(project['cdk.json'] ?? '')).not.toHaveProperty('context');
  });

  it('replace nothing in what a project deployed before it had them', () => {
    const config = { ...readConfigFile('three-regions'), portal: portalConfig };
    const [before, after] = [{}, featureFlags].map((context) => {
      const disabled = { 'aws:cdk:disable-stack-trace': true };
      return synthesise(config, { app: { context: { ...context, ...disabled } } }).templates;
    });
    const harm = Object.entries(before ?? {}).flatMap(([stack, template]) =>
      findHarm(template.toJSON() as Kept, after?.[stack]?.toJSON() as Kept),
    );
    expect(harm).toEqual([]);
  });

  it('are all that CDK recommends', () => {
    const recommended = JSON.parse(
      readFileSync(join('node_modules/aws-cdk-lib/recommended-feature-flags.json'), 'utf8'),
    ) as Record<string, unknown>;
    const { '@aws-cdk/core:target-partitions': _, ...flags } = recommended;
    expect(featureFlags).toMatchObject(flags);
  });

  function join(path: string): string {
    return resolve(root, path);
  }
});

describe('a synthesis', () => {
  it('needs no account', () => {
    const { app } = synthesise(readConfigFile('single-region'));
    const [artifact] = app.synth().stacks;
    expect(artifact?.environment).toMatchObject({
      account: 'unknown-account',
      region: 'us-west-2',
    });
  });

  it.each([
    ['nothing', undefined, 'context "config": received nothing; allowed: the path'],
    ['a missing file', 'config/none.json', 'config/none.json is not a readable JSON file: ENOENT'],
    ['a file that is not JSON', 'README.md', 'README.md is not a readable JSON file'],
    ['another JSON file', 'cdk.json', 'cdk.json: the deployment config cannot be used:'],
  ])('refuses %s as config', (_, path, message) => {
    expect(() => readDeploymentConfigFile(path)).toThrow(message);
  });

  it('refuses a function that was not built, and says what to run', () => {
    expect(() => functionBundle('/nowhere', 'token')).toThrow(
      'there is no bundle of the token function at /nowhere/token: run "npm run build" first',
    );
  });

  it('leaves out scopes_supported if the catalogue does not fit an environment', () => {
    const permission = (index: number): string => `permission-with-a-long-name-${index}`;
    const count = Math.ceil(
      maxScopesSupportedBytes / 'messaging:permission-with-a-long-name-1'.length,
    );
    const scopes = Array.from({ length: count + 1 }, (_, index) => ({
      service: 'messaging',
      permission: permission(index),
      description: 'A permission',
    }));
    const { templates } = synthesise({ ...readConfigFile('single-region'), scopes });
    const functions = resourcesOf(
      templates['AuthorizationServer-slc'] as never,
      'AWS::Lambda::Function',
    );
    const discovery = Object.values(functions).find(
      ({ Properties }) => Properties['FunctionName'] === 'authorization-server-discovery',
    );
    const variables = settingsOf(discovery?.Properties);
    expect(variables).toHaveProperty('documentMaxAge');
    expect(variables).not.toHaveProperty('scopesSupported');
  });
});
