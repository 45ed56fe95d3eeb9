// oxlint-disable-next-line import/no-named-as-default -- middy's types have only the default
import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { preflightMaxAge } from '../../contract/bounds.ts';
import { securityHeaders } from '../../contract/error-body.ts';
import { matchesEtag, strongEtag } from '../../core/document/etag.ts';
import { errorResponse } from './error-response.ts';
import { dispatch, Exchange, type FunctionEndpoints, reportOf } from './exchange.ts';
import {
  addHeaders,
  type HttpRequest,
  type HttpResponse,
  readHttpRequest,
} from './http-message.ts';
import type { FunctionOptions } from './telemetry.ts';

interface HttpFunctionProps extends FunctionOptions, FunctionEndpoints {
  /** On every response, in addition to the security headers. */
  readonly headers: Readonly<Record<string, string>>;
}

export type HttpFunction = (event: APIGatewayProxyEvent, context: Context) => Promise<HttpResponse>;

/** Lambda's context with the exchange, which middleware and endpoints share. */
interface ExchangeContext extends Context {
  exchange: Exchange;
}

/** Transport around an endpoint. */
type Middleware = MiddlewareObj<APIGatewayProxyEvent, HttpResponse, Error, ExchangeContext>;
type Hook = NonNullable<Middleware['after']>;

/** Begins an exchange with each request, and reports it with the response. */
function requestLog({ clock, telemetry }: FunctionOptions): Middleware {
  const report: Hook = ({ event, context, response }) => {
    const { exchange } = context;
    const statusCode = response?.statusCode ?? 500;
    telemetry.report(reportOf(event, exchange, statusCode, clock()), context);
  };
  return {
    before: ({ context }) => {
      context.exchange = new Exchange(clock());
    },
    after: report,
    onError: report,
  };
}

function responseHeaders(headers: Readonly<Record<string, string>>): Middleware {
  const add: Hook = (request) => {
    const { response, event } = request;
    if (response) request.response = addHeaders(response, event.httpMethod, headers);
  };
  return { after: add, onError: add };
}

/** Makes the response to any error. */
const errorResponses: Middleware = {
  onError: (request) => {
    request.response = errorResponse(request.error, request.context.exchange);
  },
};

/**
 * A Lambda function that serves documents through the REST API. Calls to AWS end with the deadline
 * of the exchange, long before Lambda's timeout, so middy starts no timer for it.
 */
export function createHttpFunction(props: HttpFunctionProps): HttpFunction {
  const handler = middy<APIGatewayProxyEvent, HttpResponse, Error, ExchangeContext>({
    timeoutEarlyInMillis: 0,
  })
    .use(requestLog(props))
    .use(responseHeaders({ ...securityHeaders, ...props.headers }))
    .use(errorResponses)
    .handler(async (event, { exchange }) => dispatch(props, readHttpRequest(event), exchange));
  return (event, context) => handler(event, context as ExchangeContext);
}

/** A public document. Every client can read it, including browsers on any page (RFC 9700 §2.6). */
export interface Document {
  readonly body: string;
  readonly etag: string;
  /** Seconds for which every client may cache it. */
  readonly maxAge: number;
}

/** On every response of a function that serves documents. */
export const documentHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag',
} as const;

export function createDocument(content: object, maxAge: number): Document {
  const body = JSON.stringify(content);
  return { body, etag: strongEtag(body), maxAge };
}

function preflightResponse(): HttpResponse {
  const headers = {
    Allow: 'GET, HEAD, OPTIONS',
    'Access-Control-Allow-Methods': 'GET, HEAD',
    // No credentials are involved, so any header may come. `*` leaves `Authorization` out (Fetch).
    'Access-Control-Allow-Headers': '*, Authorization',
    'Access-Control-Max-Age': String(preflightMaxAge),
  };
  return { statusCode: 204, headers, body: '' };
}

/** Answers GET, HEAD and OPTIONS, including conditional requests (RFC 9110 §13). */
export async function serveDocument(
  request: HttpRequest,
  exchange: Exchange,
  load: () => Document | Promise<Document>,
): Promise<HttpResponse> {
  if (request.method === 'OPTIONS') return preflightResponse();
  const { body, etag, maxAge } = await load();
  const headers = { ETag: etag, 'Cache-Control': `public, max-age=${maxAge}` };
  if (matchesEtag(request.headerValues('if-none-match'), etag)) {
    exchange.outcome = 'not_modified';
    return { statusCode: 304, headers, body: '' };
  }
  return { statusCode: 200, headers: { 'Content-Type': 'application/json', ...headers }, body };
}
