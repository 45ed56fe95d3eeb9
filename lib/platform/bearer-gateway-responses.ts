import { GatewayResponse, ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import { bearerGatewayResponses, type FailureStatus } from '../../contract/platform-authorizer.ts';

export interface BearerGatewayResponsesProps {
  readonly restApi: RestApi;
  /** Protection space of the challenges (RFC 9110 §11.5). */
  readonly realm: string;
  readonly failureStatus: FailureStatus;
}

/** API Gateway expects a literal in single quotes, and has no escape for a quote. */
function literals(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
}

/** The real `WWW-Authenticate` of 401 and 403 (RFC 6750 §3), and the errors of the authorizer. */
export class BearerGatewayResponses extends Construct {
  constructor(scope: Construct, id: string, props: BearerGatewayResponsesProps) {
    super(scope, id);
    const { restApi, realm, failureStatus } = props;
    for (const { type, status, headers, body } of bearerGatewayResponses(realm, failureStatus)) {
      new GatewayResponse(this, type, {
        restApi,
        type: ResponseType.of(type),
        statusCode: String(status),
        responseHeaders: literals(headers),
        templates: { 'application/json': JSON.stringify(body) },
      });
    }
  }
}
