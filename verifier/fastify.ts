import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import {
  type CredentialMiddleware,
  createCredentialMiddleware,
  type MiddlewareOptions,
  receive,
} from './require-credential.ts';
import type { Verifier } from './verifier.ts';

export { CallerMissingError, callerOf } from './require-credential.ts';

/** The used part of Fastify's request. */
export interface FastifyRequestLike {
  readonly raw: IncomingMessage | Http2ServerRequest;
}

/** The used part of Fastify's reply. */
export interface FastifyReplyLike {
  code(status: number): FastifyReplyLike;
  headers(values: Readonly<Record<string, string>>): FastifyReplyLike;
  send(body: string): FastifyReplyLike;
}

/** An `onRequest` or `preHandler` hook. */
export type FastifyHook = (
  request: FastifyRequestLike,
  reply: FastifyReplyLike,
) => Promise<FastifyReplyLike | undefined>;

/**
 * Hooks for Fastify:
 *
 * @example
 * const { requireScopes } = createFastifyHooks(verifier);
 * fastify.get('/messages', { onRequest: requireScopes('messaging:view') }, async (request) =>
 *   messagesOf(callerOf(request).serviceTrunkGroup),
 * );
 */
export function createFastifyHooks(
  verifier: Verifier,
  options: MiddlewareOptions<FastifyRequestLike> = {},
): CredentialMiddleware<FastifyHook> {
  return createCredentialMiddleware(
    verifier,
    options,
    ({ raw }: FastifyRequestLike) => receive(raw),
    (check): FastifyHook =>
      async (request, reply) => {
        const refusal = await check(request);
        if (refusal === undefined) return undefined;
        return reply.code(refusal.status).headers(refusal.headers).send(refusal.body);
      },
  );
}
