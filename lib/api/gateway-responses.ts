import { GatewayResponse, type IRestApi, ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import { noStoreHeaders, securityHeaders } from '../../contract/error-body.ts';
import { type GatewayError, gatewayErrors } from '../../contract/gateway-errors.ts';

export interface GatewayResponsesProps {
  readonly restApi: IRestApi;
  /** Whether people read them in a browser. */
  readonly asPages?: boolean;
}

/** Gives errors that API Gateway generates the service's shape and headers. */
export class GatewayResponses extends Construct {
  constructor(scope: Construct, id: string, props: GatewayResponsesProps) {
    super(scope, id);
    for (const error of gatewayErrors) this.addResponse(props, error);
  }

  private addResponse({ restApi, asPages = false }: GatewayResponsesProps, error: GatewayError) {
    new GatewayResponse(this, error.type, {
      restApi,
      type: ResponseType.of(error.type),
      ...(error.status === undefined ? {} : { statusCode: String(error.status) }),
      responseHeaders: responseHeaders(error),
      templates: asPages
        ? { 'text/html': formatPage(error) }
        : { 'application/json': JSON.stringify(error.body) },
    });
  }
}

/** A page without links, styles and scripts: none of them can be had from an API that refuses. */
function formatPage({ body, retryAfter }: GatewayError): string {
  const text = body.error_description;
  const sentence = `${text[0]?.toUpperCase()}${text.slice(1)}.`;
  const wait = retryAfter === undefined ? '' : ' Wait a moment, and load the page again.';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${sentence}</title></head><body><h1>${sentence}</h1><p>This page could not be shown.${wait}</p></body></html>`;
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
