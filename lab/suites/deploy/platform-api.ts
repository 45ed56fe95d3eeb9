import { join, resolve } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { LambdaIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Code, Function, Runtime } from 'aws-cdk-lib/aws-lambda';
import { PlatformAuthorizer } from '../../../lib/platform-authorizer.ts';
import { createTestKey } from '../../support/test-issuer.ts';
import { addProvider } from './provider-api.ts';

/*
 * A platform team's API behind the authorizer, as small as it can be: a CDK app of its own, which
 * knows nothing of the authorization server but its issuer and the name of its deployment.
 */

const app = new App();
const context = (name: string): string => {
  const value: unknown = app.node.tryGetContext(name);
  if (typeof value !== 'string') throw new Error(`context ${name} is missing`);
  return value;
};

const stack = new Stack(app, 'PlatformApi', { env: { region: context('awsRegion') } });
const restApi = new RestApi(stack, 'RestApi', {
  cloudWatchRole: false,
  deployOptions: { tracingEnabled: true },
});
const authorizer = new PlatformAuthorizer(stack, 'Authorizer', {
  restApi,
  issuer: context('issuer'),
  audiences: [context('audience')],
  bundles: join(resolve(import.meta.dirname, '../../..'), 'dist/lambda'),
});
const whoCalls = new Function(stack, 'WhoCalls', {
  runtime: Runtime.NODEJS_24_X,
  handler: 'index.handler',
  code: Code.fromInline(
    'exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event.requestContext.authorizer) });',
  ),
});
const messages = restApi.root.addResource('messages');
const integration = new LambdaIntegration(whoCalls);
messages.addMethod('GET', integration, authorizer.requireScopes('messaging:view'));
messages.addMethod('POST', integration, authorizer.requireScopes('messaging:manage'));

addProvider(stack, createTestKey('ES256'));
app.synth();
