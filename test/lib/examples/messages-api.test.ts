import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { MessagesApi } from '../../../examples/api-gateway/messages-api.ts';

const issuer = 'https://auth.example.com';
const audience = 'https://api.example.com';

function synthesise(): Template {
  const app = new App();
  const handler = new LambdaFunction(new Stack(app, 'Function'), 'Messages', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => ({})'),
  });
  return Template.fromStack(new MessagesApi(app, 'Api', { issuer, audience, handler }));
}

describe('the example of an API Gateway JWT authorizer', () => {
  it('trusts the issuer for one audience', () => {
    synthesise().hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'JWT',
      IdentitySource: ['$request.header.Authorization'],
      JwtConfiguration: { Issuer: issuer, Audience: [audience] },
    });
  });

  it('leaves no route without a scope', () => {
    const template = synthesise();
    const routes = template.findResources('AWS::ApiGatewayV2::Route');
    const guarded = template.findResources('AWS::ApiGatewayV2::Route', {
      Properties: {
        AuthorizationType: 'JWT',
        AuthorizationScopes: Match.anyValue(),
        AuthorizerId: Match.anyValue(),
      },
    });
    expect(Object.keys(routes)).toHaveLength(1);
    expect(guarded).toEqual(routes);
  });
});
