import { createDeadlines } from '../adapters/deadline.ts';
import { requestDeadline } from '../contract/bounds.ts';
import { isScopeToken } from '../contract/scopes.ts';
import { readTraceId } from '../contract/trace-context.ts';
import { InputError } from '../core/errors.ts';
import { BearerRefusal } from '../core/verifier/bearer-refusal.ts';
import { describeRejection } from '../core/verifier/decision-log.ts';
import {
  authorizationOf,
  proofsOf,
  type ReceivedRequest,
  valuesOf,
} from './received-authorization.ts';
import type {
  BearerErrorResponse,
  ResourceMetadata,
  VerifiedCredential,
  Verifier,
  VerifierRequest,
} from './verifier.ts';

export interface MiddlewareOptions<Request> {
  /**
   * Returns the address that a request comes from, for API keys with subnets. Behind a proxy,
   * return the address that the proxy saw, from a header that the proxy always sets.
   *
   * @default the TCP peer
   */
  readonly sourceAddress?: ((request: Request) => string | undefined) | undefined;
  /**
   * Receives each refused request with the reason, for your log.
   *
   * @default a line of JSON on standard error: the reason and what is expected, nothing received
   */
  readonly onNotAccepted?: ((error: unknown, request: Request) => void) | undefined;
}

/** Middleware for each kind of requirement. */
export interface CredentialMiddleware<Handler> {
  /**
   * Requires a credential with every one of these scopes.
   *
   * @throws {InputError} if there is none, or one is not a scope.
   */
  readonly requireScopes: (...scopes: readonly string[]) => Handler;
  /** Requires any accepted credential. */
  readonly requireCredential: () => Handler;
  /**
   * Serves the metadata of the API (RFC 9728) to everyone, at the path that {@link
   * Verifier.resourceMetadata} names, and lets every other request through. For the root of the
   * service: `app.use(resourceMetadata())`, in Fastify `app.addHook('onRequest', …)`.
   *
   * @throws {InputError} if the verifier has no `resource`.
   */
  readonly resourceMetadata: () => Handler;
}

/** A handler asked for the caller, but no middleware has verified one. */
export class CallerMissingError extends Error {
  override readonly name = 'CallerMissingError';

  constructor() {
    super(
      'this request has no verified caller: its route needs requireScopes or requireCredential',
    );
  }
}

/** The key is the framework's own request object, so nothing in the request can add an entry. */
const callers = new WeakMap<object, VerifiedCredential>();

/**
 * Returns the caller of a request that the middleware accepted.
 *
 * @param request the framework's object: Express' and Fastify's request, Hono's context.
 * @throws {CallerMissingError} if no middleware accepted the request.
 *
 * @example
 * const { credential, serviceTrunkGroup } = callerOf(request);
 */
export function callerOf(request: object): VerifiedCredential {
  const caller = callers.get(request);
  if (caller === undefined) throw new CallerMissingError();
  return caller;
}

/** What is expected comes from the verifier's options. What a tenant's record says is left out. */
function logNotAccepted(error: unknown, traceparents: readonly string[]): void {
  const { level, outcome, fields } = describeRejection(error);
  const finding = error instanceof BearerRefusal ? error.finding : undefined;
  const line = {
    level: level.toUpperCase(),
    message: outcome,
    timestamp: new Date().toISOString(),
    trace_id: readTraceId(traceparents),
    ...fields,
    expected: finding?.serviceTrunkGroup === undefined ? finding?.expected : undefined,
  };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}

/** The parts of a framework's request that the decision depends on. */
export interface Received {
  readonly authorization: string | readonly string[] | undefined;
  readonly proofs: readonly string[];
  /** Each header `traceparent`. */
  readonly traceparents: readonly string[];
  readonly sourceAddress: string | undefined;
  readonly method: string | undefined;
  /** The request target: a path and perhaps a query, or a whole URL. */
  readonly target: string | undefined;
  /** The same as the client sent it: a framework may change {@link target}. */
  readonly sentTarget: string | undefined;
}

/** The TCP peer, if the host knows it. */
export function peerOf({ socket }: ReceivedRequest): string | undefined {
  return ((socket ?? {}) as { readonly remoteAddress?: string }).remoteAddress;
}

/** Reads a request of node:http or node:http2, or of a host that imitates them. */
export function receive(request: ReceivedRequest): Received {
  const {
    method,
    url: target,
    originalUrl: sentTarget = target,
  } = request as {
    readonly method?: string;
    readonly url?: string;
    /** Express and Connect change `url` for a mounted router. A proof is about what was sent. */
    readonly originalUrl?: string;
  };
  return {
    authorization: authorizationOf(request),
    // Read only for a bound token.
    get proofs() {
      return proofsOf(request);
    },
    // Read only for a line of the log.
    get traceparents() {
      return valuesOf(request, 'traceparent');
    },
    sourceAddress: peerOf(request),
    method,
    target,
    sentTarget,
  };
}

/** @returns the response to send, or undefined if the request goes on to the service. */
export type CheckRequest<Request> = (
  request: Request,
) => Promise<(Omit<BearerErrorResponse, 'status'> & { readonly status: number }) | undefined>;

function checkScopes(scopes: readonly string[]): void {
  const wrong = scopes.find((scope) => !isScopeToken(scope));
  if (scopes.length > 0 && wrong === undefined) return;
  const received = wrong === undefined ? 'no scope' : JSON.stringify(wrong);
  const allowed = 'one scope or more, e.g. "messaging:view" (requireCredential() requires none)';
  throw new InputError(`requireScopes: received ${received}; allowed: ${allowed}`);
}

function toVerifierRequest(
  received: Received,
  sourceAddress: string | undefined,
  signal: AbortSignal,
): VerifierRequest {
  return {
    authorization: received.authorization,
    sourceAddress,
    method: received.method,
    target: received.sentTarget,
    get proofs() {
      return received.proofs;
    },
    signal,
  };
}

/**
 * The shared part of every framework's middleware.
 *
 * @param read returns the parts of the framework's request that the decision depends on.
 * @param toHandler converts the check to a handler of the framework.
 */
export function createCredentialMiddleware<Request extends object, Handler>(
  verifier: Verifier,
  options: MiddlewareOptions<Request>,
  read: (request: Request) => Received,
  toHandler: (check: CheckRequest<Request>) => Handler,
): CredentialMiddleware<Handler> {
  const deadline = createDeadlines(requestDeadline);
  const { onNotAccepted, sourceAddress } = options;
  function check(scopes: readonly string[]): CheckRequest<Request> {
    return async (request) => {
      let received: Received | undefined;
      try {
        received = read(request);
        // If the option finds no address, none is known. The peer's address must not be used.
        const address = sourceAddress ? sourceAddress(request) : received.sourceAddress;
        const question = toVerifierRequest(received, address, deadline());
        const caller = await verifier.verify(question, scopes);
        callers.set(request, caller);
        return undefined;
      } catch (error) {
        if (onNotAccepted !== undefined) onNotAccepted(error, request);
        else logNotAccepted(error, received?.traceparents ?? []);
        return verifier.toResponse(error);
      }
    };
  }
  function serve(metadata: ResourceMetadata): CheckRequest<Request> {
    const { path, url, headers, body } = metadata;
    return async (request) => {
      try {
        const { method, target = '' } = read(request);
        const isRead = method === 'GET' || method === 'HEAD';
        if (!isRead || !URL.canParse(target, url)) return undefined;
        return new URL(target, url).pathname === path ? { status: 200, headers, body } : undefined;
      } catch (error) {
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
    resourceMetadata() {
      if (verifier.resourceMetadata !== undefined)
        return toHandler(serve(verifier.resourceMetadata));
      throw new InputError(
        'resourceMetadata: received a verifier without resource; allowed: createVerifier({ resource: … })',
      );
    },
  };
}
