import { GatewayResponse, type IRestApi, ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import { noStoreHeaders, securityHeaders } from '../../contract/error-body.ts';
import { type GatewayError, gatewayErrors } from '../../contract/gateway-errors.ts';

/** Gives errors that API Gateway generates the service's shape and headers. */
export class GatewayResponses extends Construct {
  constructor(scope: Construct, id: string, props: { readonly restApi: IRestApi }) {
    super(scope, id);
    for (const error of gatewayErrors) this.addResponse(props.restApi, error);
  }

  private addResponse(restApi: IRestApi, error: GatewayError): void {
    new GatewayResponse(this, error.type, {
      restApi,
      type: ResponseType.of(error.type),
      ...(error.status === undefined ? {} : { statusCode: String(error.status) }),
      responseHeaders: responseHeaders(error),
      templates: { 'application/json': JSON.stringify(error.body) },
    });
  }
}

/** API Gateway expects a literal in single quotes. */
function responseHeaders(error: GatewayError): Record<string, string> {
  const headers: Record<string, string> = {
    ...noStoreHeaders,
    ...securityHeaders,
    ...(error.retryAfter === undefined ? {} : { 'Retry-After': String(error.retryAfter) }),
  };
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
}
