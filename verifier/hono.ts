import {
  type CredentialMiddleware,
  createCredentialMiddleware,
  type MiddlewareOptions,
} from './require-credential.ts';
import type { Verifier } from './verifier.ts';

export { CallerMissingError, callerOf } from './require-credential.ts';

/** The used part of Hono's context. */
export interface HonoContextLike {
  readonly req: { readonly raw: Request };
  readonly env: unknown;
}

export type HonoHandler = (
  context: HonoContextLike,
  next: () => Promise<void>,
) => Promise<Response | undefined>;

/** Hono's server for Node passes the socket in `env`; other platforms have none. */
function peerOf({ env }: HonoContextLike): string | undefined {
  const { incoming } = (env ?? {}) as {
    readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
  };
  return incoming?.socket?.remoteAddress;
}

/**
 * Middleware for Hono:
 *
 *     const { requireScopes } = createHonoMiddleware(verifier);
 *     app.get('/messages', requireScopes('messaging:view'), (context) =>
 *       context.json(messagesOf(callerOf(context).serviceTrunkGroup)));
 */
export function createHonoMiddleware(
  verifier: Verifier,
  options: MiddlewareOptions<HonoContextLike> = {},
): CredentialMiddleware<HonoHandler> {
  return createCredentialMiddleware(
    verifier,
    options,
    (context: HonoContextLike) => ({
      // A repeated header becomes one text with a comma, which no credential contains.
      authorization: context.req.raw.headers.get('authorization') ?? undefined,
      sourceAddress: peerOf(context),
    }),
    (check): HonoHandler =>
      async (context, next) => {
        const refusal = await check(context);
        if (refusal === undefined) {
          await next();
          return undefined;
        }
        const { status, headers, body } = refusal;
        return new Response(body, { status, headers });
      },
  );
}
