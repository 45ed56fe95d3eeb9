import { App, CfnResource, Stack, Stage } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import { addAuthorizationServer } from '../../lib/authorization-server.ts';
import { featureFlags } from '../../lib/feature-flags.ts';
import { readConfigFile, withStubBundles } from './synthesise.ts';

const account = '111122223333';

function createApp(): App {
  return new App({ context: { ...featureFlags, 'aws:cdk:disable-stack-trace': true } });
}

describe("a company's own CDK app", () => {
  it('has three regions in a stage of a pipeline, in the account of the stage', () =>
    withStubBundles((bundles) => {
      const stage = new Stage(createApp(), 'Production', { env: { account } });
      const config = parseDeploymentConfig(readConfigFile('three-regions'));
      const { stacks, regions, data } = addAuthorizationServer(stage, config, { bundles });
      const { stacks: deployed } = stage.synth();
      expect(deployed.map(({ stackName, environment }) => [stackName, environment.name])).toEqual([
        ['AuthorizationServer-data', `aws://${account}/us-west-2`],
        ['AuthorizationServer-dfw', `aws://${account}/us-east-2`],
        ['AuthorizationServer-pit', `aws://${account}/us-east-1`],
        ['AuthorizationServer-slc', `aws://${account}/us-west-2`],
      ]);
      expect(stacks).toEqual([data, regions.slc, regions.dfw, regions.pit]);
    }));

  it('deploys to the account that it names', () =>
    withStubBundles((bundles) => {
      const config = parseDeploymentConfig(readConfigFile('single-region'));
      const options = { bundles, env: { account } };
      const { regions } = addAuthorizationServer(createApp(), config, options);
      expect(regions.slc?.environment).toBe(`aws://${account}/us-west-2`);
    }));

  it('has several deployments, and tags nothing that is not theirs', () =>
    withStubBundles((bundles) => {
      const app = createApp();
      const single = readConfigFile('single-region');
      for (const name of ['production', 'staging']) {
        const config = parseDeploymentConfig({ ...single, name, tags: { team: name } });
        addAuthorizationServer(new Stage(app, name, { env: { account } }), config, { bundles });
      }
      const other = new Stack(app, 'Other');
      const topic = new CfnResource(other, 'Topic', { type: 'AWS::SNS::Topic' });
      const { stacks } = app.synth();
      expect(topic.cfnResourceType).toBe('AWS::SNS::Topic');
      expect(Template.fromStack(other).toJSON()['Resources']).toEqual({
        Topic: { Type: 'AWS::SNS::Topic' },
      });
      expect(stacks.map(({ stackName }) => stackName)).toEqual(['Other']);
      expect(JSON.stringify(Template.fromStack(other))).not.toContain('team');
    }));

  it('uses what a region has: its addresses, tables, policies and the topic of its alarms', () =>
    withStubBundles((bundles) => {
      const config = parseDeploymentConfig(readConfigFile('three-regions'));
      const { regions } = addAuthorizationServer(createApp(), config, { bundles });
      const { slc } = regions;
      expect(slc?.issuer).toBe('https://auth.example.com');
      expect(slc?.tokenUrl).toBe('https://auth.example.com/api/v1/oauth/token');
      expect(slc?.jwksUri).toBe('https://auth.example.com/.well-known/jwks.json');
      expect(slc?.tables.clients.tableName).toContain('clients');
      expect(slc?.stackName).toBe('AuthorizationServer-slc');
      const template = Template.fromStack(slc ?? expect.fail());
      const { operatorPolicies, alarmTopic } = slc ?? expect.fail();
      const idOf = (arn: unknown) => JSON.stringify(slc?.resolve(arn));
      const resources = Object.keys(template.toJSON()['Resources'] as object);
      const named = [
        ...Object.values(operatorPolicies).map((one) => one.managedPolicyArn),
        alarmTopic.topicArn,
      ];
      for (const arn of named) expect(resources.some((id) => idOf(arn).includes(id))).toBe(true);
    }));
});
