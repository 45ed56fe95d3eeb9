import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createDeadlines } from '../../adapters/deadline.ts';
import { refusalHeader } from '../../contract/caller-headers.ts';
import { checkDeadline } from '../../contract/limits.ts';
import { headerValues } from '../received-authorization.ts';
import type { BearerErrorResponse, Verifier } from '../verifier.ts';
import { callerHeaderList } from './caller-headers.ts';
import type { DecisionLog } from './decision-log.ts';
import { clientAddress } from './received-headers.ts';
import { namingSegments, readRequiredScopes } from './required-scopes.ts';

export interface HandlerOptions {
  readonly verifier: Verifier;
  readonly log: DecisionLog;
  /** In lower case. */
  readonly clientAddressHeader: string | undefined;
  /** Why the process is not ready, or undefined if it is. */
  readonly notReady: () => string | undefined;
}

/** A path that names no scopes: the proxy's configuration is wrong, so there is no access. */
export class ScopesMissingError extends Error {
  override readonly name = 'ScopesMissingError';

  constructor() {
    super('the path of the check names no scopes; allowed: /verify/SCOPE[,SCOPE] or /verify/-');
  }
}

function sendRefusal(response: ServerResponse, { status, headers, body }: BearerErrorResponse) {
  response.writeHead(status, { ...headers, [refusalHeader]: body }).end(body);
}

function sendState(response: ServerResponse, reason: string | undefined): void {
  const body = reason === undefined ? { status: 'ok' } : { status: 'not_ready', reason };
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  response.writeHead(reason === undefined ? 200 : 503, headers).end(`${JSON.stringify(body)}\n`);
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
  const { verifier, log, clientAddressHeader } = options;
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
        signal: deadline(),
      },
      scopes,
    );
    const headers = callerHeaderList(verified);
    log.accepted(verified);
    return headers;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (announcesBody(request)) response.setHeader('Connection', 'close');
    try {
      const headers = await verify(request);
      response.writeHead(200, [...headers, 'Cache-Control', 'no-store', 'Content-Length', '0']);
      response.end();
    } catch (error) {
      log.notAccepted(error, { path: namingSegments(request.url ?? '') });
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
