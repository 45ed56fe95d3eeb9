import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type CredentialMiddleware,
  createCredentialMiddleware,
  type MiddlewareOptions,
} from './require-credential.ts';
import type { Verifier } from './verifier.ts';

export { CallerMissingError, callerOf } from './require-credential.ts';

/** Express 4 and 5, Connect, Polka: any framework with handlers of `(request, response, next)`. */
export type ExpressHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
) => Promise<void>;

/**
 * Middleware for Express:
 *
 *     const { requireScopes } = createExpressMiddleware(verifier);
 *     app.get('/messages', requireScopes('messaging:view'), (request, response) => {
 *       response.json(messagesOf(callerOf(request).serviceTrunkGroup));
 *     });
 */
export function createExpressMiddleware(
  verifier: Verifier,
  options: MiddlewareOptions<IncomingMessage> = {},
): CredentialMiddleware<ExpressHandler> {
  return createCredentialMiddleware(
    verifier,
    options,
    ({ headersDistinct, socket }: IncomingMessage) => ({
      authorization: headersDistinct['authorization'],
      sourceAddress: socket.remoteAddress,
    }),
    (check): ExpressHandler =>
      async (request, response, next) => {
        const refusal = await check(request);
        if (refusal === undefined) next();
        else response.writeHead(refusal.status, refusal.headers).end(refusal.body);
      },
  );
}
