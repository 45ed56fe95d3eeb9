import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';

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
