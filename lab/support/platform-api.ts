import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { MockIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { PlatformAuthorizer } from '../../lib/platform-authorizer.ts';

/** The stack of a platform API behind the authorizer. @param bundles folder of the function bundles. */
export function synthesisePlatformApi(bundles: string): Template {
  const stack = new Stack(
    new App({ context: { 'aws:cdk:disable-stack-trace': true } }),
    'Platform',
  );
  const restApi = new RestApi(stack, 'Api', { cloudWatchRole: false });
  const [issuer, audiences] = ['https://auth.example.com', ['https://api.example.com']];
  const authorizer = new PlatformAuthorizer(stack, 'Authorizer', {
    restApi,
    issuer,
    audiences,
    bundles,
  });
  restApi.root.addMethod('GET', new MockIntegration(), authorizer.requireCredential());
  return Template.fromStack(stack);
}
