import { type ReceivedRequest, refuseDroppedHeaders } from './received-authorization.ts';
import {
  type CredentialMiddleware,
  createCredentialMiddleware,
  type MiddlewareOptions,
  peerOf,
  type Received,
} from './require-credential.ts';
import type { Verifier } from './verifier.ts';

export { CallerMissingError, callerOf } from './require-credential.ts';

/** The used part of Hono's context. */
export interface HonoContextLike {
  readonly req: { readonly raw: Request };
  readonly env: unknown;
}

/** Middleware of a route. */
export type HonoHandler = (
  context: HonoContextLike,
  next: () => Promise<void>,
) => Promise<Response | undefined>;

/** Hono's server for Node passes its request in `env`; other platforms have none. */
function incomingOf({ env }: HonoContextLike): ReceivedRequest | undefined {
  return ((env ?? {}) as { readonly incoming?: ReceivedRequest }).incoming;
}

/** A repeated header becomes one text with a comma, which none of them contains. */
function valuesOf({ req }: HonoContextLike, name: string): readonly string[] {
  const value = req.raw.headers.get(name);
  return value === null ? [] : [value];
}

function receiveContext(context: HonoContextLike): Received {
  const incoming = incomingOf(context) ?? {};
  refuseDroppedHeaders(incoming);
  return {
    authorization: valuesOf(context, 'authorization'),
    proofs: valuesOf(context, 'dpop'),
    traceparents: valuesOf(context, 'traceparent'),
    sourceAddress: peerOf(incoming),
    method: context.req.raw.method,
    target: context.req.raw.url,
    sentTarget: context.req.raw.url,
  };
}

/**
 * Middleware for Hono:
 *
 * @example
 * const { requireScopes } = createHonoMiddleware(verifier);
 * hono.get('/messages', requireScopes('messaging:view'), (context) =>
 *   context.json(messagesOf(callerOf(context).serviceTrunkGroup)),
 * );
 */
export function createHonoMiddleware(
  verifier: Verifier,
  options: MiddlewareOptions<HonoContextLike> = {},
): CredentialMiddleware<HonoHandler> {
  return createCredentialMiddleware(
    verifier,
    options,
    receiveContext,
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
