import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  CfnAccount,
  GatewayResponse,
  type IRestApi,
  ResponseType,
} from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import { noStoreHeaders, securityHeaders } from '../../contract/error-body.ts';
import { type GatewayError, gatewayErrors } from '../../contract/gateway-errors.ts';
import { addServiceRole } from '../functions/service-function.ts';

/**
 * Gives errors that API Gateway generates the service's shape and headers.
 *
 * @param asPages whether people read them in a browser.
 */
export function addGatewayResponses(scope: Construct, restApi: IRestApi, asPages = false): void {
  for (const error of gatewayErrors) {
    const { type, status, retryAfter } = error;
    const headers = {
      ...noStoreHeaders,
      ...securityHeaders,
      ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    };
    new GatewayResponse(scope, type, {
      restApi,
      type: ResponseType.of(type),
      ...(status !== undefined && { statusCode: String(status) }),
      responseHeaders: literals(headers),
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

/** API Gateway expects a literal in single quotes, and has no escape for a quote. */
export function literals(
  headers: Readonly<Record<string, string>>,
  prefix = '',
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [prefix + name, `'${value}'`]),
  );
}

/**
 * One JSON line per request. It contains no header, query string or body, and therefore no
 * credential. `resourcePath` is the route, not the requested path.
 */
export const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    request_id: AccessLogField.contextRequestId(),
    time: AccessLogField.contextRequestTimeEpoch(),
    source_ip: AccessLogField.contextIdentitySourceIp(),
    http_method: AccessLogField.contextHttpMethod(),
    resource_path: AccessLogField.contextResourcePath(),
    domain_name: '$context.domainName',
    status: AccessLogField.contextStatus(),
    error_type: '$context.error.responseType',
    principal_id: AccessLogField.contextAuthorizerPrincipalId(),
    tls_version: '$context.tlsVersion',
    cipher_suite: '$context.cipherSuite',
    response_latency: AccessLogField.contextResponseLatency(),
    integration_latency: AccessLogField.contextIntegrationLatency(),
  }),
);

/**
 * The role that API Gateway writes its logs with. All APIs of an account and region share it, so
 * only one owner may set it, and no stack may remove it.
 */
export function addApiGatewayAccount(scope: Construct): void {
  const role = addServiceRole(scope, 'LogRole', {
    service: 'apigateway',
    description: 'Lets API Gateway write its logs, for every API of the account and region',
    policy: 'AmazonAPIGatewayPushToCloudWatchLogs',
    reason:
      'API Gateway checks the role for exactly these permissions when it is set, and other APIs of the account write their own log groups with it.',
  });
  role.applyRemovalPolicy(RemovalPolicy.RETAIN);
  const account = new CfnAccount(scope, 'Account', { cloudWatchRoleArn: role.roleArn });
  account.applyRemovalPolicy(RemovalPolicy.RETAIN);
}
