import {
  type ErrorBody,
  notFoundBody,
  retryAfterSeconds,
  serverErrorBody,
  tooManyRequestsBody,
  unavailableBody,
} from './error-body.ts';

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

const refusedBody: ErrorBody = {
  error: 'access_denied',
  error_description: 'the request was refused',
};

function invalidRequest(error_description: string): ErrorBody {
  return { error: 'invalid_request', error_description };
}

/**
 * `invalid_request` is RFC 6749's word for a malformed request; `temporarily_unavailable` and
 * `server_error` are §4.1.2.1's, the closest registered codes for a failure of the server.
 */
const responses: readonly (readonly [type: string, status: number | undefined, ErrorBody])[] = [
  ['MISSING_AUTHENTICATION_TOKEN', 404, notFoundBody],
  ['RESOURCE_NOT_FOUND', 404, notFoundBody],
  ['THROTTLED', 429, tooManyRequestsBody],
  ['QUOTA_EXCEEDED', 429, tooManyRequestsBody],
  ['WAF_FILTERED', 403, refusedBody],
  ['ACCESS_DENIED', 403, refusedBody],
  ['UNAUTHORIZED', 401, refusedBody],
  ['INVALID_SIGNATURE', 403, refusedBody],
  ['EXPIRED_TOKEN', 403, refusedBody],
  ['INVALID_API_KEY', 403, refusedBody],
  ['BAD_REQUEST_BODY', 400, invalidRequest('the request body is not valid')],
  ['BAD_REQUEST_PARAMETERS', 400, invalidRequest('the request parameters are not valid')],
  ['UNSUPPORTED_MEDIA_TYPE', 415, invalidRequest('the content type is not supported')],
  ['REQUEST_TOO_LARGE', undefined, invalidRequest('the request is too large')],
  ['AUTHORIZER_FAILURE', 500, serverErrorBody],
  ['AUTHORIZER_CONFIGURATION_ERROR', 500, serverErrorBody],
  ['API_CONFIGURATION_ERROR', 500, serverErrorBody],
  ['INTEGRATION_FAILURE', 503, unavailableBody],
  [
    'INTEGRATION_TIMEOUT',
    504,
    {
      ...unavailableBody,
      error_description: 'the service did not answer in time, try again later',
    },
  ],
  ['DEFAULT_4XX', undefined, invalidRequest('the request was refused')],
  ['DEFAULT_5XX', undefined, serverErrorBody],
];

/** The errors of the gateway, in the service's shape. */
export const gatewayErrors: readonly GatewayError[] = responses.map(([type, status, body]) => ({
  type,
  status,
  body,
  ...([429, 503, 504].some((one) => one === status) && { retryAfter: retryAfterSeconds }),
}));
