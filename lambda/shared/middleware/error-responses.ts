import { OAuthError } from '../../../core/oauth-error.ts';
import { outcomeOf, toErrorResponse } from '../error-response.ts';
import type { HttpMiddleware } from './http-middleware.ts';

/**
 * Makes the response to any error, and records the outcome of the exchange.
 *
 * @param challenge is sent with 401.
 */
export function errorResponses(challenge: string | undefined): HttpMiddleware {
  return {
    onError: (request) => {
      const { exchange } = request.context;
      exchange.error = request.error;
      exchange.outcome = outcomeOf(request.error);
      if (request.error instanceof OAuthError) exchange.fields['reason'] = request.error.reason;
      request.response = toErrorResponse(request.error, challenge);
    },
  };
}
