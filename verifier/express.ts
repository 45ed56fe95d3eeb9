import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type CredentialMiddleware,
  createCredentialMiddleware,
  type MiddlewareOptions,
  receive,
} from './require-credential.ts';
import type { Verifier } from './verifier.ts';

export { CallerMissingError, callerOf } from './require-credential.ts';

/** Express 4 and 5, Connect, Polka: any framework with handlers of `(request, response, next)`. */
export type ExpressHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => Promise<void>;

/**
 * Middleware for Express:
 *
 * @example
 * const { requireScopes } = createExpressMiddleware(verifier);
 * express.get('/messages', requireScopes('messaging:view'), (request, response) => {
 *   response.json(messagesOf(callerOf(request).serviceTrunkGroup));
 * });
 */
export function createExpressMiddleware(
  verifier: Verifier,
  options: MiddlewareOptions<IncomingMessage> = {},
): CredentialMiddleware<ExpressHandler> {
  return createCredentialMiddleware(
    verifier,
    options,
    receive,
    (check): ExpressHandler =>
      async (request, response, next) => {
        let refusal: Awaited<ReturnType<typeof check>>;
        try {
          refusal = await check(request);
          if (refusal !== undefined) {
            response.writeHead(refusal.status, refusal.headers).end(refusal.body);
          }
        } catch (error) {
          // Express 4 and Connect do not hear a rejected promise: it would end the process.
          next(error);
          return;
        }
        if (refusal === undefined) next();
      },
  );
}
