import { isAwsDenial } from '../../contract/aws-denials.ts';
import {
  type ErrorBody,
  noStoreHeaders,
  retryAfterSeconds,
  serverErrorBody,
  throttledBody,
  tooManyRequestsBody,
  unavailableBody,
} from '../../contract/error-body.ts';
import { ThrottledError, TooManyFailuresError, UnavailableError } from '../../core/errors.ts';
import { OAuthError } from '../../core/oauth-error.ts';
import type { Exchange } from './exchange.ts';
import { type HttpResponse, jsonResponse } from './http-message.ts';

/** A denial also passes: IAM knows the policies of a new role minutes later. */
function isUnavailable(error: unknown): boolean {
  return error instanceof UnavailableError || isAwsDenial(error);
}

function refusalResponse(error: OAuthError, challenge: string | undefined): HttpResponse {
  const body = { error: error.code, error_description: error.description };
  return jsonResponse(error.status, body, {
    ...noStoreHeaders,
    ...(error.code === 'invalid_client' && challenge && { 'WWW-Authenticate': challenge }),
  });
}

function laterResponse(status: number, body: ErrorBody, after = retryAfterSeconds): HttpResponse {
  return jsonResponse(status, body, { ...noStoreHeaders, 'Retry-After': String(after) });
}

function toResponse(error: unknown, challenge: string | undefined): HttpResponse {
  if (error instanceof OAuthError) return refusalResponse(error, challenge);
  if (error instanceof TooManyFailuresError) {
    return laterResponse(429, tooManyRequestsBody, error.retryAfter);
  }
  if (error instanceof ThrottledError) return laterResponse(429, throttledBody);
  if (isUnavailable(error)) return laterResponse(503, unavailableBody);
  return jsonResponse(500, serverErrorBody, noStoreHeaders);
}

function outcomeOf(error: unknown): string {
  if (
    error instanceof OAuthError ||
    error instanceof TooManyFailuresError ||
    error instanceof ThrottledError
  ) {
    return error.outcome;
  }
  return isUnavailable(error) ? unavailableBody.error : serverErrorBody.error;
}

/**
 * The only place that converts errors to responses. Every unknown error gives the same opaque 500.
 * Records the error and its outcome for the log.
 *
 * @param challenge is sent with 401 (RFC 6749 §5.2).
 */
export function errorResponse(
  error: unknown,
  exchange: Exchange,
  challenge?: string,
): HttpResponse {
  exchange.error = error;
  exchange.outcome = outcomeOf(error);
  if (error instanceof OAuthError || error instanceof ThrottledError) {
    exchange.fields['reason'] = error.reason;
  }
  return toResponse(error, challenge);
}
