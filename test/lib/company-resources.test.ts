import { App, Aspects, CfnResource, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CfnSecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { AnyPrincipal, ManagedPolicy, Role } from 'aws-cdk-lib/aws-iam';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { IConstruct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import { portalConfig } from '../../lab/support/portal-config.ts';
import { addAuthorizationServer } from '../../lib/authorization-server.ts';
import { featureFlags } from '../../lib/feature-flags.ts';
import { evaluate, readConfigFile, resourcesOf, withStubBundles } from './synthesise.ts';

const account = '111122223333';

/** Resources by stack, of an app in which a company adds something to each stack. */
function extended(extend: (stack: Stack) => void) {
  const resources: Record<string, ReturnType<typeof resourcesOf>> = {};
  withStubBundles((bundles) => {
    const app = new App({ context: { ...featureFlags, 'aws:cdk:disable-stack-trace': true } });
    const config = parseDeploymentConfig({
      ...readConfigFile('single-region'),
      portal: portalConfig,
      regions: {
        slc: {
          awsRegion: 'us-west-2',
          encryptionKeyArn: `arn:aws:kms:us-west-2:${account}:key/11111111-2222-3333-4444-555555555555`,
        },
      },
      permissionsBoundaryArn: `arn:aws:iam::${account}:policy/boundary`,
      tags: { team: 'identity' },
    });
    const { stacks } = addAuthorizationServer(app, config, { bundles });
    for (const stack of stacks) extend(stack);
    for (const stack of stacks) resources[stack.stackName] = resourcesOf(Template.fromStack(stack));
  });
  return resources;
}

describe("a company's own resources in the stacks", () => {
  it('keep all their settings', () => {
    const add = (stack: Stack) => {
      const permissionsBoundary = ManagedPolicy.fromManagedPolicyArn(
        stack,
        'Own-Boundary',
        `arn:aws:iam::${account}:policy/own`,
      );
      return [
        new LogGroup(stack, 'Own-Log', { retention: RetentionDays.ONE_MONTH }),
        new Topic(stack, 'Own-Topic'),
        new Secret(stack, 'Own-Secret'),
        new Role(stack, 'Own-Role', { assumedBy: new AnyPrincipal(), permissionsBoundary }),
        new CfnResource(stack, 'Own-Other', { type: 'AWS::SQS::Queue' }),
      ];
    };
    const own = (resources: ReturnType<typeof resourcesOf>) =>
      Object.fromEntries(Object.entries(resources).filter(([id]) => id.startsWith('Own')));
    const alone = new Stack(new App({ context: featureFlags }), 'Alone');
    add(alone);
    const all = Object.values(extended(add));
    expect(all).toHaveLength(2);
    for (const resources of all) {
      expect(own(resources)).toEqual(resourcesOf(Template.fromStack(alone)));
    }
  });
});

describe('a network that a company gives to every function', () => {
  const inNetwork = (groupOf: (stack: Stack) => string) => (stack: Stack) => {
    const securityGroupIds = [groupOf(stack)];
    Aspects.of(stack).add({
      visit: (node: IConstruct) => {
        if (!(node instanceof CfnFunction)) return;
        node.vpcConfig = { securityGroupIds, subnetIds: ['subnet-1'] };
      },
    });
  };

  it.each([
    [
      'of the stack',
      (stack: Stack) =>
        new CfnSecurityGroup(stack, 'Sg', { groupDescription: 'x', vpcId: 'vpc-1' }).attrGroupId,
    ],
    ['of another stack', () => 'sg-1'],
  ])('with a security group %s makes no cycle, and Lambda may attach each', (_, groupOf) => {
    for (const resources of Object.values(extended(inNetwork(groupOf)))) {
      const policies = Object.values(resources).filter(({ Type }) => Type === 'AWS::IAM::Policy');
      const functions = Object.values(resources).filter(
        ({ Type }) => Type === 'AWS::Lambda::Function',
      );
      expect(functions.length).toBeGreaterThan(0);
      for (const { Properties } of functions) {
        expect(Properties['VpcConfig'].SubnetIds).toEqual(['subnet-1']);
        const role = Properties['Role']['Fn::GetAtt'][0];
        const actions = policies
          .filter(({ Properties: of }) => of['Roles'][0].Ref === role)
          .flatMap(({ Properties: of }) => evaluate(of['PolicyDocument']).Statement)
          .filter(({ Resource }) => Resource === '*')
          .flatMap(({ Action }) => Action);
        expect(actions).toContain('ec2:CreateNetworkInterface');
      }
    }
  });

  it('is what the permission needs', () => {
    expect(JSON.stringify(extended(() => undefined))).not.toContain('ec2:');
  });
});
