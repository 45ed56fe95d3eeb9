import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { HttpApi, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpUrlIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { alarmTopicName } from '../../lib/monitoring/service-alarm.ts';
import { OAuthClient } from '../../lib/oauth-client.ts';

/*
 * What consumes a deployment of a trial, as a stack of its own: an API behind API Gateway's JWT
 * authorizer, a subscriber of the alarms, and a client that the stack declares.
 */

const app = new App();
const context = (name: string): string => {
  const value: unknown = app.node.tryGetContext(name);
  if (typeof value !== 'string') throw new Error(`context ${name} is missing`);
  return value;
};

const deploymentName = context('name');
const stack = new Stack(app, `${deploymentName}-probe`, { env: { region: context('awsRegion') } });

const jwtAudience = [context('audience')];
const api = new HttpApi(stack, 'Api', { apiName: `${deploymentName}-probe` });
api.addRoutes({
  path: '/keys',
  methods: [HttpMethod.GET],
  integration: new HttpUrlIntegration('Keys', context('jwksUri')),
  authorizer: new HttpJwtAuthorizer('Issuer', context('issuer'), { jwtAudience }),
});

const topicArn = stack.formatArn({ service: 'sns', resource: alarmTopicName(deploymentName) });
const queue = new Queue(stack, 'Alarms');
Topic.fromTopicArn(stack, 'Topic', topicArn).addSubscription(new SqsSubscription(queue));

const { clientId } = new OAuthClient(stack, 'Client', {
  deploymentAccount: stack.account,
  deploymentName,
  name: 'Declared',
  serviceTrunkGroup: context('trunkGroup'),
  scopes: ['messaging:view'],
});
const jwtApi = `${api.apiEndpoint}/keys`;
const outputs = { JwtApi: jwtApi, AlarmQueue: queue.queueUrl, DeclaredClient: clientId };
Object.entries(outputs).map(([id, value]) => new CfnOutput(stack, id, { value }));
app.synth();
