import { Stack, type StackProps } from 'aws-cdk-lib';
import { HttpApi, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

export interface MessagesApiProps extends StackProps {
  /** The authorization server, exactly as `issuer` in its discovery document. */
  readonly issuer: string;
  /** The value of `aud` by which this API knows itself. */
  readonly audience: string;
  readonly handler: IFunction;
}

/**
 * An HTTP API that API Gateway protects by itself. It reads the discovery document at the issuer,
 * keeps the keys for up to two hours, and checks `iss`, `aud`, `exp`, `nbf`, `iat` and the scope.
 * It verifies only RSA signatures, takes no API keys, and does not look at `typ`.
 */
export class MessagesApi extends Stack {
  constructor(scope: Construct, id: string, props: MessagesApiProps) {
    super(scope, id, props);
    const authorizer = new HttpJwtAuthorizer('AccessToken', props.issuer, {
      jwtAudience: [props.audience],
    });
    const api = new HttpApi(this, 'Api', { defaultAuthorizer: authorizer });
    api.addRoutes({
      path: '/messages',
      methods: [HttpMethod.GET],
      integration: new HttpLambdaIntegration('Messages', props.handler),
      authorizationScopes: ['messaging:view'],
    });
  }
}
