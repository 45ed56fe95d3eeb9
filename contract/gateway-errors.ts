import { type ErrorBody, retryAfterSeconds, tooManyRequestsBody } from './error-body.ts';

/** A response that API Gateway generates without invoking a function. */
export interface GatewayError {
  /** API Gateway's `ResponseType`. */
  readonly type: string;
  /** Status code that is sent; API Gateway's own if left out. */
  readonly status?: number;
  readonly body: ErrorBody;
  /** Seconds after which the caller should try again. */
  readonly retryAfter?: number;
}

function gatewayError(
  type: string,
  status: number | undefined,
  error: string,
  error_description: string,
): GatewayError {
  const isTemporary = status === 429 || status === 503 || status === 504;
  return {
    type,
    status,
    body: { error, error_description },
    ...(isTemporary && { retryAfter: retryAfterSeconds }),
  };
}

/**
 * The errors of the gateway, in the service's shape. `invalid_request` is RFC 6749's word for a
 * malformed request; `temporarily_unavailable` and `server_error` are §4.1.2.1's, the closest
 * registered codes for a failure of the server.
 */
export const gatewayErrors: readonly GatewayError[] = [
  gatewayError('MISSING_AUTHENTICATION_TOKEN', 404, 'not_found', 'there is nothing at this path'),
  gatewayError('RESOURCE_NOT_FOUND', 404, 'not_found', 'there is nothing at this path'),
  gatewayError('THROTTLED', 429, tooManyRequestsBody.error, tooManyRequestsBody.error_description),
  gatewayError(
    'QUOTA_EXCEEDED',
    429,
    tooManyRequestsBody.error,
    tooManyRequestsBody.error_description,
  ),
  gatewayError('WAF_FILTERED', 403, 'access_denied', 'the request was refused'),
  gatewayError('ACCESS_DENIED', 403, 'access_denied', 'the request was refused'),
  gatewayError('UNAUTHORIZED', 401, 'access_denied', 'the request was refused'),
  gatewayError('INVALID_SIGNATURE', 403, 'access_denied', 'the request was refused'),
  gatewayError('EXPIRED_TOKEN', 403, 'access_denied', 'the request was refused'),
  gatewayError('INVALID_API_KEY', 403, 'access_denied', 'the request was refused'),
  gatewayError('BAD_REQUEST_BODY', 400, 'invalid_request', 'the request body is not valid'),
  gatewayError(
    'BAD_REQUEST_PARAMETERS',
    400,
    'invalid_request',
    'the request parameters are not valid',
  ),
  gatewayError(
    'UNSUPPORTED_MEDIA_TYPE',
    415,
    'invalid_request',
    'the content type is not supported',
  ),
  gatewayError('REQUEST_TOO_LARGE', undefined, 'invalid_request', 'the request is too large'),
  gatewayError('AUTHORIZER_FAILURE', 500, 'server_error', 'an unexpected error occurred'),
  gatewayError(
    'AUTHORIZER_CONFIGURATION_ERROR',
    500,
    'server_error',
    'an unexpected error occurred',
  ),
  gatewayError('API_CONFIGURATION_ERROR', 500, 'server_error', 'an unexpected error occurred'),
  gatewayError(
    'INTEGRATION_FAILURE',
    503,
    'temporarily_unavailable',
    'the service is unavailable, try again later',
  ),
  gatewayError(
    'INTEGRATION_TIMEOUT',
    504,
    'temporarily_unavailable',
    'the service did not answer in time, try again later',
  ),
  gatewayError('DEFAULT_4XX', undefined, 'invalid_request', 'the request was refused'),
  gatewayError('DEFAULT_5XX', undefined, 'server_error', 'an unexpected error occurred'),
];
