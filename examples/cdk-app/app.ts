// A company's own CDK app: a pipeline that deploys the authorization server to three regions, with
// what the company adds to it. It installs @authorization-server-aws/constructs and aws-cdk-lib.
import { readFileSync } from 'node:fs';
import { addAuthorizationServer } from '@authorization-server-aws/constructs/authorization-server';
import { parseDeploymentConfig } from '@authorization-server-aws/constructs/deployment-config';
import { App, Stack, Stage, type StageProps } from 'aws-cdk-lib';
import { Role } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { CodePipeline, CodePipelineSource, ShellStep } from 'aws-cdk-lib/pipelines';
import type { Construct } from 'constructs';

const config = parseDeploymentConfig(
  JSON.parse(readFileSync(new URL('authorization-server.json', import.meta.url), 'utf8')),
);
const account = '111122223333';

class Production extends Stage {
  constructor(scope: Construct, id: string, props: StageProps) {
    super(scope, id, props);
    const { regions } = addAuthorizationServer(this, config);
    for (const stack of Object.values(regions)) {
      // The company's people and its chat, by names that exist in the account.
      const operators = Role.fromRoleName(stack, 'OperatorRole', 'platform-operators');
      operators.addManagedPolicy(stack.operatorPolicies['client-operator']);
      const chat = LambdaFunction.fromFunctionName(stack, 'Chat', 'alarms-to-chat');
      stack.alarmTopic.addSubscription(new LambdaSubscription(chat));
    }
  }
}

const app = new App();
const delivery = new Stack(app, 'Delivery', { env: { account, region: 'us-west-2' } });
const pipeline = new CodePipeline(delivery, 'Pipeline', {
  crossAccountKeys: true,
  synth: new ShellStep('Synth', {
    input: CodePipelineSource.connection('acme/authorization', 'main', {
      connectionArn: `arn:aws:codeconnections:us-west-2:${account}:connection/acme`,
    }),
    commands: ['npm ci', 'npx cdk synth'],
  }),
});
pipeline.addStage(new Production(app, 'Production', { env: { account } }));
app.synth();
