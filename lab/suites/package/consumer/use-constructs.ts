// Uses every entry of the installed constructs, as a company's own CDK app would.
import assert from 'node:assert/strict';
import { synthesiseApp } from '@authorization-server-aws/constructs/app';
import { addAuthorizationServer } from '@authorization-server-aws/constructs/authorization-server';
import { parseDeploymentConfig } from '@authorization-server-aws/constructs/deployment-config';
import { OAuthClient } from '@authorization-server-aws/constructs/oauth-client';
import { PlatformAuthorizer } from '@authorization-server-aws/constructs/platform-authorizer';
import { App, Stack } from 'aws-cdk-lib';
import { MockIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';

function synthesise(): void {
  const app = new App();
  const single = parseDeploymentConfig({
    regions: { slc: { awsRegion: 'us-west-2' } },
    defaultAudience: 'https://api.example.com',
    scopes: [{ service: 'messaging', permission: 'view', description: 'Read messages' }],
  });
  const { regions } = addAuthorizationServer(app, single);
  assert.equal(regions.slc?.stackName, 'AuthorizationServer-slc');
  const stack = new Stack(app, 'Messages', { env: { region: 'us-west-2' } });
  const restApi = new RestApi(stack, 'Api');
  const authorizer = new PlatformAuthorizer(stack, 'Authorizer', {
    restApi,
    issuer: 'https://auth.example.com',
    audiences: ['https://api.example.com'],
  });
  restApi.root
    .addResource('messages')
    .addMethod('GET', new MockIntegration(), authorizer.requireScopes('messaging:view'));
  new OAuthClient(stack, 'Billing', {
    deploymentAccount: '111122223333',
    name: 'Billing',
    serviceTrunkGroup: 'tg-1001',
    scopes: ['messaging:view'],
  });
  const names = app.synth().stacks.map(({ stackName }) => stackName);
  assert.deepEqual(names.sort(), ['AuthorizationServer-slc', 'Messages']);
}

/** A whole app whose config is missing: one sentence, and no stack trace. */
function refuseMissingConfig(): void {
  synthesiseApp({ config: 'missing.json' });
  assert.equal(process.exitCode, 1);
  process.exitCode = 0;
}

synthesise();
refuseMissingConfig();
console.log('the constructs work');
