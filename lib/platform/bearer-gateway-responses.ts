import {
  AuthorizationType,
  GatewayResponse,
  MockIntegration,
  ResponseType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import { bearerGatewayResponses, type FailureStatus } from '../../contract/platform-authorizer.ts';
import type { ResourceMetadata } from '../../contract/resource-metadata.ts';
import { literals } from '../api/gateway-responses.ts';

interface BearerGatewayResponsesProps {
  readonly restApi: RestApi;
  /** Protection space of the challenges (RFC 9110 §11.5). */
  readonly realm: string;
  readonly failureStatus: FailureStatus;
  /** `alg` values of proofs, if the API checks them. */
  readonly proofAlgs: readonly string[] | undefined;
  /** What the API publishes about itself (RFC 9728), if anything. */
  readonly metadata: ResourceMetadata | undefined;
  /** Whose pages may read the refusals and their challenges. */
  readonly allowOrigin: string | undefined;
}

/** A route without a function: API Gateway itself answers it, to everyone. */
function addMetadataRoute(restApi: RestApi, { path, headers, body }: ResourceMetadata): void {
  const responseParameters = literals(headers, 'method.response.header.');
  const integration = new MockIntegration({
    requestTemplates: { 'application/json': '{"statusCode": 200}' },
    integrationResponses: [
      { statusCode: '200', responseParameters, responseTemplates: { 'application/json': body } },
    ],
  });
  restApi.root
    .resourceForPath(path)
    .addMethod('GET', integration, {
      apiKeyRequired: false,
      authorizationType: AuthorizationType.NONE,
      methodResponses: [
        {
          statusCode: '200',
          responseParameters: Object.fromEntries(
            Object.keys(responseParameters).map((name) => [name, true] as const),
          ),
        },
      ],
    });
}

/** The real `WWW-Authenticate` of 401 and 403 (RFC 6750 §3), and the errors of the authorizer. */
export function addBearerResponses(scope: Construct, props: BearerGatewayResponsesProps): void {
  const { restApi, realm, failureStatus, metadata, allowOrigin, proofAlgs } = props;
  const forPages = allowOrigin !== undefined && {
    'Access-Control-Allow-Origin': allowOrigin,
    'Access-Control-Expose-Headers': 'WWW-Authenticate, Retry-After',
  };
  if (metadata !== undefined) addMetadataRoute(restApi, metadata);
  const api = { realm, resourceMetadata: metadata?.url, proofAlgs: proofAlgs?.join(' ') };
  for (const { type, status, headers, body } of bearerGatewayResponses(api, failureStatus)) {
    new GatewayResponse(scope, type, {
      restApi,
      type: ResponseType.of(type),
      statusCode: String(status),
      responseHeaders: literals({ ...headers, ...forPages }),
      templates: { 'application/json': JSON.stringify(body) },
    });
  }
}
