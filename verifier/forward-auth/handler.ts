import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createDeadlines } from '../../adapters/deadline.ts';
import { checkDeadline } from '../../contract/bounds.ts';
import {
  type CallerHeaderName,
  callerHeaders,
  noScopesSegment,
  refusalHeader,
  verifyPathSegment,
} from '../../contract/caller-headers.ts';
import { isScopeToken, scopePartPattern } from '../../contract/scopes.ts';
import { readTraceId } from '../../contract/trace-context.ts';
import { parseIpAddress } from '../../core/network/ip-address.ts';
import { identifyCaller } from '../../core/verifier/caller-identity.ts';
import type { VerifiedCredential } from '../../core/verifier/verified-credential.ts';
import { headerValues } from '../received-authorization.ts';
import type { BearerErrorResponse, Verifier } from '../verifier.ts';
import type { DecisionLog } from './decision-log.ts';
import type { ForwardAuthProofs } from './options.ts';

interface HandlerOptions {
  readonly verifier: Verifier;
  readonly log: DecisionLog;
  /** In lower case. */
  readonly clientAddressHeader: string | undefined;
  /** Headers in which the proxy says what was asked, in lower case. */
  readonly proofs?: Pick<ForwardAuthProofs, 'methodHeader' | 'uriHeader'> | undefined;
  /** Why the process is not ready, or undefined if it is. */
  readonly notReady: () => string | undefined;
}

/** A path that names no scopes: the proxy's configuration is wrong, so there is no access. */
class ScopesMissingError extends Error {
  override readonly name = 'ScopesMissingError';

  constructor() {
    super(
      'the path of the check names no scopes; allowed: /verify/SCOPE[,SCOPE] or /verify/-; a scope with a value as orders%2Fread',
    );
  }
}

/** The proxy's configuration is wrong: a caller must not be able to say what his proof is for. */
class ProxyHeaderError extends Error {
  override readonly name = 'ProxyHeaderError';

  constructor(header: string, count: number) {
    super(`the proxy sent ${count} headers ${header}; allowed: 1, with the client's own removed`);
  }
}

/** @throws {ProxyHeaderError} if the header is missing, or there twice: one may be the caller's. */
function sentByProxy(rawHeaders: readonly string[], name: string): string {
  const [value, ...others] = headerValues(rawHeaders, name);
  if (value !== undefined && others.length === 0) return value;
  throw new ProxyHeaderError(name, others.length + (value === undefined ? 0 : 1));
}

function sendRefusal(response: ServerResponse, { status, headers, body }: BearerErrorResponse) {
  response.writeHead(status, { ...headers, [refusalHeader]: body }).end(body);
}

function sendState(response: ServerResponse, reason: string | undefined): void {
  const body = reason === undefined ? { status: 'ok' } : { status: 'not_ready', reason };
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  response.writeHead(reason === undefined ? 200 : 503, headers).end(`${JSON.stringify(body)}\n`);
}

function traceOf({ rawHeaders }: IncomingMessage): string | undefined {
  return readTraceId(headerValues(rawHeaders, 'traceparent'));
}

/** A body that the proxy announced but does not send must not be read as the next request. */
function announcesBody({ rawHeaders }: IncomingMessage): boolean {
  if (headerValues(rawHeaders, 'transfer-encoding').length > 0) return true;
  return headerValues(rawHeaders, 'content-length').some((length) => length !== '0');
}

/**
 * Answers a proxy's question: 200 with the caller's headers, or the refusal that the proxy passes
 * on. Every failure is a refusal too.
 */
export function createHandler(options: HandlerOptions): RequestListener {
  const { verifier, log, clientAddressHeader, proofs } = options;
  const deadline = createDeadlines(checkDeadline);

  async function verify(request: IncomingMessage): Promise<readonly string[]> {
    const scopes = readRequiredScopes(request.url ?? '');
    if (scopes === undefined) throw new ScopesMissingError();
    const { rawHeaders } = request;
    const verified = await verifier.verify(
      {
        authorization: headerValues(rawHeaders, 'authorization'),
        // Read only if the decision needs them.
        get sourceAddress() {
          return (
            clientAddressHeader && clientAddress(headerValues(rawHeaders, clientAddressHeader))
          );
        },
        get proofs() {
          return headerValues(rawHeaders, 'dpop');
        },
        get method() {
          return proofs && sentByProxy(rawHeaders, proofs.methodHeader);
        },
        get target() {
          return proofs && sentByProxy(rawHeaders, proofs.uriHeader);
        },
        signal: deadline(),
      },
      scopes,
    );
    const headers = callerHeaderList(verified);
    log.accepted(verified, {
      // Read only for a line of the log.
      get trace_id() {
        return traceOf(request);
      },
    });
    return headers;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (announcesBody(request)) response.setHeader('Connection', 'close');
    try {
      const headers = await verify(request);
      response.writeHead(200, [...headers, 'Cache-Control', 'no-store', 'Content-Length', '0']);
      response.end();
    } catch (error) {
      const path = namingSegments(request.url ?? '');
      log.notAccepted(error, { path, trace_id: traceOf(request) });
      sendRefusal(response, verifier.toResponse(error));
    }
  }

  return (request, response) => {
    const metadata = verifier.resourceMetadata;
    if (metadata !== undefined && request.url?.split('?', 1)[0] === metadata.path) {
      response.writeHead(200, { ...metadata.headers }).end(metadata.body);
      return;
    }
    if (request.url === '/live') return sendState(response, undefined);
    if (request.url === '/ready') return sendState(response, options.notReady());
    void answer(request, response);
  };
}

/**
 * The client's address from the header that the operator named. The header must occur once and hold
 * one address: a list or a repeated header may contain text of the caller, and is ignored.
 */
export function clientAddress(values: readonly string[]): string | undefined {
  const [value, ...others] = values;
  if (value === undefined || others.length > 0) return undefined;
  return parseIpAddress(value) === undefined ? undefined : value;
}

function isScope(text: string): boolean {
  const [service, permission, ...more] = text.split(':');
  return (
    more.length === 0 &&
    scopePartPattern.test(service ?? '') &&
    scopePartPattern.test(permission ?? '')
  );
}

/**
 * `messaging:view`, or a scope's `value` with an escape: `orders%2Fread`. A proxy that decodes it
 * leaves what is neither.
 */
function readScope(text: string): string | undefined {
  if (!text.includes('%')) return isScope(text) ? text : undefined;
  try {
    const value = decodeURIComponent(text);
    return isScopeToken(value) && value !== noScopesSegment ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A path that is longer than any list of scopes is cut in the log. */
const maxLoggedLength = 200;

/**
 * The part of a request target that names scopes, for the log. The rest may be text of the caller.
 */
export function namingSegments(target: string): string {
  const [path = ''] = target.split('?', 1);
  return path.split('/', 3).join('/').slice(0, maxLoggedLength);
}

/**
 * Reads the scopes that a proxy's route requires: `/verify/messaging:view,calls:view`, or
 * `/verify/-` for none. Only the first two segments are read: the rest and the query may be those
 * of the original request, and therefore text of the caller.
 *
 * @param target the request target as received (RFC 9112 §3.2).
 * @returns undefined if the path names no scopes: a mistake in the proxy's configuration.
 */
export function readRequiredScopes(target: string): readonly string[] | undefined {
  const [path = ''] = target.split('?', 1);
  const [root, verify, scopes] = path.split('/', 3);
  if (root !== '' || verify !== verifyPathSegment || scopes === undefined) return undefined;
  if (scopes === noScopesSegment) return [];
  const texts = scopes.split(',');
  const names = texts.flatMap((text) => readScope(text) ?? []);
  return names.length === texts.length ? names : undefined;
}

/** Printable ASCII without a space at either end (RFC 9110 §5.5), or nothing. */
const headerValue = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

const callerFields = Object.keys(callerHeaders) as readonly (keyof typeof callerHeaders)[];

/** A verified value that no header can carry. The request is then refused. */
export class CallerHeaderError extends Error {
  override readonly name = 'CallerHeaderError';
}

/** @throws {CallerHeaderError} if a header cannot carry the value. The message names the header. */
function header(name: CallerHeaderName, value: string): readonly [CallerHeaderName, string] {
  if (!headerValue.test(value)) throw new CallerHeaderError(`${name} cannot carry its value`);
  return [name, value];
}

/**
 * The headers that describe the caller. All of them are always present. Alternating names and
 * values cost Node less than an object.
 *
 * @throws {CallerHeaderError} if a header cannot carry a value.
 */
export function callerHeaderList(verified: VerifiedCredential): readonly string[] {
  const caller = identifyCaller(verified);
  return callerFields.flatMap((field) => header(callerHeaders[field], caller[field]));
}
