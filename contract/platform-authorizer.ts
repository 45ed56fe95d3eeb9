import {
  type BearerChallenge,
  type BearerErrorCode,
  formatChallenges,
} from './bearer-challenge.ts';
import {
  type ErrorBody,
  noStoreHeaders,
  retryAfterSeconds,
  securityHeaders,
  unavailableBody,
} from './error-body.ts';
import { gatewayErrors } from './gateway-errors.ts';

/**
 * The authorizer's context of an allowed request. Each value is a string, empty if there is none.
 * A *platform API* is the specification's name for a resource server (RFC 6749 §1.1, RFC 6750).
 */
export type AuthorizerContext = Readonly<
  Record<'client_id' | 'scope' | 'service_trunk_group' | 'credential' | 'issuer' | 'jti', string>
>;

/** Name of the context value of a denied request, which the 403 body shows. */
export const requiredScopeContextKey = 'required_scope';

/** Name of a method of a REST API in the table of required scopes, e.g. `GET /messages/{id}`. */
export function routeKey(httpMethod: string, resourcePath: string): string {
  return `${httpMethod} ${resourcePath}`;
}

/** What a decision depends on: its cache key in API Gateway, with API Gateway's own names. */
export const cacheIdentitySources = [
  'method.request.header.Authorization',
  'context.identity.sourceIp',
  'context.httpMethod',
  'context.path',
] as const;

/** Longest time for which API Gateway caches a decision, in seconds. */
export const maxResultCacheTtl = 3600;

/**
 * A response that API Gateway generates for a platform API when the authorizer denies the request.
 */
interface BearerGatewayResponse {
  /** API Gateway's `ResponseType`. */
  readonly type:
    | 'UNAUTHORIZED'
    | 'ACCESS_DENIED'
    | 'AUTHORIZER_FAILURE'
    | 'AUTHORIZER_CONFIGURATION_ERROR';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** API Gateway replaces `$context.…` in it. */
  readonly body: ErrorBody & { readonly scope?: string };
}

const commonHeaders = { ...noStoreHeaders, ...securityHeaders } as const;

/** What the challenges say of the API: its realm (RFC 9110 §11.5), its metadata, and its proofs. */
type GatewayApi = Pick<BearerChallenge, 'realm' | 'resourceMetadata' | 'proofAlgs'>;

function bearerError(
  type: 'UNAUTHORIZED' | 'ACCESS_DENIED',
  status: number,
  api: GatewayApi,
  body: ErrorBody & { readonly error: BearerErrorCode; readonly scope?: string },
): BearerGatewayResponse {
  const { error, error_description: description } = body;
  const challenge = formatChallenges({ ...api, error, description });
  return { type, status, headers: { 'WWW-Authenticate': challenge, ...commonHeaders }, body };
}

/** Status codes that API Gateway can send when the authorizer gives no decision. */
export const failureStatuses = [500, 503] as const;

export type FailureStatus = (typeof failureStatuses)[number];

/** The response to no decision for clients that repeat a request after a 503. */
const unavailable: BearerGatewayResponse = {
  type: 'AUTHORIZER_FAILURE',
  status: 503,
  headers: { ...commonHeaders, 'Retry-After': String(retryAfterSeconds) },
  body: unavailableBody,
};

function failure(
  type: 'AUTHORIZER_FAILURE' | 'AUTHORIZER_CONFIGURATION_ERROR',
): BearerGatewayResponse {
  const error = gatewayErrors.find((candidate) => candidate.type === type);
  if (error?.status === undefined) throw new Error(`there is no gateway error ${type}`);
  return { type, status: error.status, headers: commonHeaders, body: error.body };
}

/**
 * The responses of a platform API's gateway. They are one set per API and their headers are
 * static, so each refusal carries the general challenges (RFC 6750 §3, RFC 9449 §7.1).
 *
 * @param failureStatus of the response when the authorizer gives no decision.
 * @throws {RangeError} for a realm that the header cannot carry.
 */
export function bearerGatewayResponses(
  api: GatewayApi,
  failureStatus: FailureStatus = 500,
): readonly BearerGatewayResponse[] {
  return [
    bearerError('UNAUTHORIZED', 401, api, {
      error: 'invalid_token',
      error_description: 'a valid access token or API key is required',
    }),
    bearerError('ACCESS_DENIED', 403, api, {
      error: 'insufficient_scope',
      error_description: 'the access token or API key lacks a scope that this request requires',
      scope: `$context.authorizer.${requiredScopeContextKey}`,
    }),
    failureStatus === 503 ? unavailable : failure('AUTHORIZER_FAILURE'),
    failure('AUTHORIZER_CONFIGURATION_ERROR'),
  ];
}
