import type { BearerErrorCode } from './bearer-challenge.ts';
import type { ErrorBody } from './error-body.ts';

/**
 * What API Gateway answers for a platform API whose requests the authorizer refuses. Its gateway
 * responses are one per API and their headers are static, so each carries the general challenge.
 */
export interface BearerGatewayResponse {
  /** API Gateway's `ResponseType`. */
  readonly type: 'UNAUTHORIZED' | 'ACCESS_DENIED';
  readonly status: 401 | 403;
  readonly error: BearerErrorCode;
  readonly body: ErrorBody & { readonly scope?: string };
}

/** Name of the authorizer's context value that the 403 body shows. */
export const requiredScopeContextKey = 'required_scope';

/** The authorizer's context of a request that is allowed: each a text, empty where it has none. */
export const authorizerContextKeys = [
  'client_id',
  'scope',
  'service_trunk_group',
  'credential',
  'issuer',
  'jti',
] as const;

export type AuthorizerContext = Readonly<Record<(typeof authorizerContextKeys)[number], string>>;

/** Name of a method of a REST API in the table of required scopes, e.g. `GET /messages/{id}`. */
export function routeKey(httpMethod: string, resourcePath: string): string {
  return `${httpMethod} ${resourcePath}`;
}

export const bearerGatewayResponses: readonly BearerGatewayResponse[] = [
  {
    type: 'UNAUTHORIZED',
    status: 401,
    error: 'invalid_token',
    body: {
      error: 'invalid_token',
      error_description: 'a valid access token or API key is required',
    },
  },
  {
    type: 'ACCESS_DENIED',
    status: 403,
    error: 'insufficient_scope',
    body: {
      error: 'insufficient_scope',
      error_description: 'the access token lacks a scope that this request requires',
      scope: `$context.authorizer.${requiredScopeContextKey}`,
    },
  },
];

/**
 * What API Gateway keeps a verdict by, where it keeps any: everything that the verdict depends
 * on. The names are API Gateway's own.
 */
export const cacheIdentitySources = [
  'method.request.header.Authorization',
  'context.identity.sourceIp',
  'context.httpMethod',
  'context.path',
] as const;

/** Longest time for which API Gateway keeps a verdict, in seconds. */
export const maxResultCacheTtl = 3600;
