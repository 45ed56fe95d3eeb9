import type { Template } from 'aws-cdk-lib/assertions';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import { awsRegions, findRegionProblem, partitionOf } from '../../contract/partitions.ts';
import { operatorDocuments } from '../../lib/operators/operator-policies.ts';
import { readConfigFile, synthesise } from './synthesise.ts';

/** Everything that a region may have, in an AWS region of another partition. */
function inRegion(awsRegion: string): unknown {
  const account = '111122223333';
  const partition = partitionOf(awsRegion).id;
  return {
    ...readConfigFile('single-region'),
    regions: { slc: { awsRegion } },
    ...(partition !== 'aws-us-gov' && {
      domain: {
        name: 'auth.example.com',
        hostedZoneId: 'Z0123456789ABC',
        hostedZoneName: 'example.com',
      },
    }),
    webAcl: { tokenRequestsPerFiveMinutes: 2000 },
    gradualDeployment: true,
    backup: {
      retentionDays: 35,
      copyToVaultArn: `arn:${partition}:backup:${awsRegion}:${account}:backup-vault:copies`,
    },
    alarmEmails: ['on-call@example.com'],
    breakGlassRoleArn: `arn:${partition}:iam::${account}:role/break-glass`,
    permissionsBoundaryArn: `arn:${partition}:iam::${account}:policy/boundary`,
  };
}

const deployable = awsRegions.filter((name) => findRegionProblem(name) === undefined);

describe.each(deployable)('the policies of operators in %s', (awsRegion) => {
  it('name no ARN of another partition', () => {
    const documents = operatorDocuments(parseDeploymentConfig(inRegion(awsRegion)), 'ACCOUNT');
    const found = JSON.stringify(documents).match(/arn:[\w-]+:/g) ?? [];
    expect(new Set(found)).toEqual(new Set([`arn:${partitionOf(awsRegion).id}:`]));
  });
});

const outside = deployable.filter((name) => partitionOf(name).id !== 'aws');

describe.each(outside)('a deployment in %s', (awsRegion) => {
  const partition = partitionOf(awsRegion).id;

  // The acknowledgements of findings name ARNs, so that they are what broke first.
  beforeEach(() => vi.stubEnv('CDK_VALIDATION', 'true'));
  afterEach(() => vi.unstubAllEnvs());

  it('synthesises, and names no ARN of another partition', () => {
    const { templates } = synthesise(inRegion(awsRegion), { checked: true });
    const template = templates['AuthorizationServer-slc'] as Template;
    const found = JSON.stringify(template.toJSON()).match(/arn:aws[\w-]*:/g) ?? [];
    expect(new Set(found)).toEqual(new Set([`arn:${partition}:`]));
  });
});

describe('an app without the feature flags of this project', () => {
  beforeEach(() => vi.stubEnv('CDK_VALIDATION', 'true'));
  afterEach(() => vi.unstubAllEnvs());

  it('synthesises: its partition is known only at deployment', () => {
    const app = { context: { 'aws:cdk:disable-stack-trace': true } };
    const config = readConfigFile('single-region');
    expect(() => synthesise(config, { checked: true, app })).not.toThrow();
  });
});
