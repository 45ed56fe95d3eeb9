import type { BearerErrorResponse, VerifiedCredential, Verifier } from '../adapters/verifier.ts';
import { requestDeadline } from '../contract/limits.ts';
import { isScopeToken } from '../contract/scopes.ts';
import { InputError } from '../core/errors.ts';

export interface MiddlewareOptions<Request> {
  /**
   * The address that a request comes from, for API keys with subnets. Behind a proxy, return the
   * address that the proxy saw, from a header that the proxy always sets.
   *
   * @default the TCP peer
   */
  readonly sourceAddress?: ((request: Request) => string | undefined) | undefined;
  /** Gets each request that is not accepted, and why: for your log. */
  readonly onNotAccepted?: ((error: unknown, request: Request) => void) | undefined;
}

/** Middleware by what it requires. */
export interface CredentialMiddleware<Handler> {
  /**
   * Requires a credential with every one of these scopes.
   *
   * @throws {InputError} if there is none, or one is not a scope.
   */
  readonly requireScopes: (...scopes: readonly string[]) => Handler;
  /** Requires any accepted credential. */
  readonly requireCredential: () => Handler;
}

/** A handler asked who calls, and no middleware has verified that. */
export class CallerMissingError extends Error {
  override readonly name = 'CallerMissingError';

  constructor() {
    super(
      'this request has no verified caller: its route needs requireScopes or requireCredential',
    );
  }
}

/** By the framework's own object for the request, so that nothing in the request can add one. */
const callers = new WeakMap<object, VerifiedCredential>();

/**
 * Who makes a request that the middleware accepted.
 *
 * @param request the framework's object: Express' and Fastify's request, Hono's context.
 * @throws {CallerMissingError} if no middleware accepted the request.
 */
export function callerOf(request: object): VerifiedCredential {
  const caller = callers.get(request);
  if (caller === undefined) throw new CallerMissingError();
  return caller;
}

/** The part of a framework that decides. */
interface Received {
  readonly authorization: string | readonly string[] | undefined;
  readonly sourceAddress: string | undefined;
}

/** @returns the response to send, or undefined if the request is accepted. */
export type CheckRequest<Request> = (request: Request) => Promise<BearerErrorResponse | undefined>;

function checkScopes(scopes: readonly string[]): void {
  const wrong = scopes.find((scope) => !isScopeToken(scope));
  if (scopes.length > 0 && wrong === undefined) return;
  const received = wrong === undefined ? 'no scope' : JSON.stringify(wrong);
  throw new InputError(
    `requireScopes: received ${received}; allowed: one scope or more, e.g. "messaging:view" (requireCredential() requires none)`,
  );
}

/**
 * What every framework's middleware shares.
 *
 * @param read what of the framework's request decides.
 * @param toHandler makes the framework's handler of the check.
 */
export function createCredentialMiddleware<Request extends object, Handler>(
  verifier: Verifier,
  options: MiddlewareOptions<Request>,
  read: (request: Request) => Received,
  toHandler: (check: CheckRequest<Request>) => Handler,
): CredentialMiddleware<Handler> {
  function check(scopes: readonly string[]): CheckRequest<Request> {
    return async (request) => {
      const { authorization, sourceAddress } = read(request);
      let signal: AbortSignal | undefined;
      try {
        const caller = await verifier.verify(
          {
            authorization,
            // An option that finds no address means that none is known, not the peer.
            sourceAddress: options.sourceAddress ? options.sourceAddress(request) : sourceAddress,
            get signal() {
              signal ??= AbortSignal.timeout(requestDeadline);
              return signal;
            },
          },
          scopes,
        );
        callers.set(request, caller);
        return undefined;
      } catch (error) {
        options.onNotAccepted?.(error, request);
        return verifier.toResponse(error);
      }
    };
  }
  return {
    requireScopes(...scopes) {
      checkScopes(scopes);
      return toHandler(check(scopes));
    },
    requireCredential: () => toHandler(check([])),
  };
}
