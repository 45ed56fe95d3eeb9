// A company's own CDK app: a pipeline that deploys the authorization server to three regions, one
// after another, with what the company adds to it. It installs
// @authorization-server-aws/constructs, aws-cdk-lib and aws-cdk.
import { readFileSync } from 'node:fs';
import { featureFlags } from '@authorization-server-aws/constructs/app';
import { addAuthorizationServer } from '@authorization-server-aws/constructs/authorization-server';
import { parseDeploymentConfig } from '@authorization-server-aws/constructs/deployment-config';
import { App, Duration, Stack, Stage } from 'aws-cdk-lib';
import { BuildSpec } from 'aws-cdk-lib/aws-codebuild';
import { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import {
  CodeBuildStep,
  CodePipeline,
  CodePipelineSource,
  ManualApprovalStep,
  type Step,
} from 'aws-cdk-lib/pipelines';

const config = parseDeploymentConfig(
  JSON.parse(readFileSync(new URL('authorization-server.json', import.meta.url), 'utf8')),
);
const account = '111122223333';

const app = new App({ context: featureFlags });
const production = new Stage(app, 'Production', { env: { account } });
const { data, regions } = addAuthorizationServer(production, config);
for (const stack of Object.values(regions)) {
  // The company's people and its chat, by names that exist in the account.
  const operators = Role.fromRoleName(stack, 'OperatorRole', 'platform-operators');
  operators.addManagedPolicy(stack.operatorPolicies['client-operator']);
  const chat = LambdaFunction.fromFunctionName(stack, 'Chat', 'alarms-to-chat');
  stack.alarmTopic.addSubscription(new LambdaSubscription(chat));
}

// CodeBuild's image has an older Node unless the build names one.
const node = BuildSpec.fromObject({
  phases: { install: { 'runtime-versions': { nodejs: '22' } } },
});
const delivery = new Stack(app, 'Delivery', {
  env: { account, region: 'us-west-2' },
  terminationProtection: true,
});
const source = CodePipelineSource.connection('acme/authorization', 'main', {
  connectionArn: `arn:aws:codeconnections:us-west-2:${account}:connection/acme`,
});
const pipeline = new CodePipeline(delivery, 'Pipeline', {
  crossAccountKeys: true,
  codeBuildDefaults: { partialBuildSpec: node },
  synth: new CodeBuildStep('Synth', {
    input: source,
    commands: ['npm ci', 'npx cdk synth --quiet'],
  }),
});

/**
 * CodePipeline's action for CloudFormation neither imports what an earlier deployment left behind
 * nor sets termination protection. `cdk deploy` does both.
 */
function deploy(stack: Stack): Step {
  return new CodeBuildStep(`Deploy ${stack.stackName}`, {
    input: source,
    additionalInputs: { 'cdk.out': pipeline.synth },
    commands: [
      'npm ci',
      `npx cdk deploy ${stack.node.path} --app cdk.out --exclusively --import-existing-resources --require-approval never`,
    ],
    timeout: Duration.hours(2),
    rolePolicyStatements: [
      new PolicyStatement({
        actions: ['sts:AssumeRole'],
        resources: [`arn:aws:iam::${account}:role/cdk-*`],
      }),
    ],
  });
}

/** Polls the alarms of a region for as long as tokens live, and fails when one is on. */
function bake(id: string, awsRegion: string): Step {
  return new CodeBuildStep(`Bake ${id}`, {
    commands: [`bash bake.sh ${config.name}-${id}- ${awsRegion} ${config.tokenLifetime.default}`],
    input: source,
    timeout: Duration.hours(8),
    rolePolicyStatements: [
      new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }),
    ],
  });
}

/** The steps run one after another. */
function inOrder(...steps: readonly Step[]): Step[] {
  for (const [index, step] of steps.entries()) {
    const before = steps[index - 1];
    if (before !== undefined) step.addStepDependency(before);
  }
  return [...steps];
}

if (data !== undefined) {
  pipeline.addWave('data', { post: inOrder(new ManualApprovalStep('Approve data'), deploy(data)) });
}
for (const [id, stack] of Object.entries(regions)) {
  const approval = new ManualApprovalStep(`Approve ${id}`);
  pipeline.addWave(id, { post: inOrder(approval, deploy(stack), bake(id, stack.region)) });
}
app.synth();
