import { GatewayResponse, ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import { formatBearerChallenge } from '../../contract/bearer-challenge.ts';
import { gatewayErrors, noStoreHeaders, securityHeaders } from '../../contract/error-body.ts';
import { bearerGatewayResponses } from '../../contract/platform-authorizer.ts';

export interface BearerGatewayResponsesProps {
  readonly restApi: RestApi;
  /** Protection space of the challenges (RFC 9110 §11.5). */
  readonly realm: string;
}

/** What API Gateway answers when the authorizer fails, in the service's own shape. */
const failures = new Set(['AUTHORIZER_FAILURE', 'AUTHORIZER_CONFIGURATION_ERROR']);

/** API Gateway takes a literal in single quotes, and has no escape for one. */
function literals(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
}

/** The real `WWW-Authenticate` of 401 and 403 (RFC 6750 §3), and the errors of the authorizer. */
export class BearerGatewayResponses extends Construct {
  constructor(scope: Construct, id: string, props: BearerGatewayResponsesProps) {
    super(scope, id);
    for (const { type, status, error, body } of bearerGatewayResponses) {
      const description = body.error_description;
      const challenge = formatBearerChallenge({ realm: props.realm, error, description });
      this.addResponse(props.restApi, type, status, body, { 'WWW-Authenticate': challenge });
    }
    for (const { type, status = 500, body } of gatewayErrors) {
      if (failures.has(type)) this.addResponse(props.restApi, type, status, body, {});
    }
  }

  private addResponse(
    restApi: RestApi,
    type: string,
    status: number,
    body: object,
    headers: Readonly<Record<string, string>>,
  ): void {
    new GatewayResponse(this, type, {
      restApi,
      type: ResponseType.of(type),
      statusCode: String(status),
      responseHeaders: literals({ ...headers, ...noStoreHeaders, ...securityHeaders }),
      templates: { 'application/json': JSON.stringify(body) },
    });
  }
}
