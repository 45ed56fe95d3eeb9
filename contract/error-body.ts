/** Every error of the functions and of the gateway has this JSON shape (RFC 6749 §5.2). */
export interface ErrorBody {
  readonly error: string;
  readonly error_description: string;
}

/**
 * Long enough for a throttle to recover or DNS to use another region, short enough for a person to
 * wait.
 */
export const retryAfterSeconds = 5;

/** The response to every unexpected error. It reveals nothing else to the caller. */
export const serverErrorBody: ErrorBody = {
  error: 'server_error',
  error_description: 'an unexpected error occurred',
};

export const unavailableBody: ErrorBody = {
  error: 'temporarily_unavailable',
  error_description: 'the service is unavailable, try again later',
};

/** Too many requests at the gateway, or too many failed authentications at the function. */
export const tooManyRequestsBody: ErrorBody = {
  error: 'temporarily_unavailable',
  error_description: 'too many requests, try again later',
};

/** One client, or one trunk group, asks for too many tokens. It is the owner of the client who reads this. */
export const throttledBody: ErrorBody = {
  error: 'temporarily_unavailable',
  error_description:
    'this client, or its trunk group, asks for too many tokens, use each one until it expires',
};

export const notFoundBody: ErrorBody = {
  error: 'not_found',
  error_description: 'there is nothing at this path',
};

/** The authorization endpoint's only answer: no response type is supported (RFC 6749 §4.1.2.1). */
export const unsupportedResponseTypeBody: ErrorBody = {
  error: 'unsupported_response_type',
  error_description: 'there is no authorization here, use the token endpoint',
};

export const methodNotAllowedBody: ErrorBody = {
  error: 'invalid_request',
  error_description: 'the method is not allowed at this path',
};

/** On every error, the gateway's and the functions' alike (RFC 6749 §5.1). */
export const noStoreHeaders = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

/** On every response. Two years of HSTS are what browsers' preload lists ask for. */
export const securityHeaders = {
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
} as const;
