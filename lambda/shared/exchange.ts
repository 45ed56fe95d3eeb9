import type { APIGatewayProxyEvent } from 'aws-lambda';
import { createDeadlines } from '../../adapters/deadline.ts';
import { requestDeadline } from '../../contract/bounds.ts';
import { methodNotAllowedBody, noStoreHeaders, notFoundBody } from '../../contract/error-body.ts';
import { type HttpFunctionName, routes } from '../../contract/routes.ts';
import { readTraceId } from '../../contract/trace-context.ts';
import { describeError } from '../../core/errors.ts';
import { type HttpRequest, type HttpResponse, jsonResponse, readHeader } from './http-message.ts';
import type { LogValue, RequestReport } from './telemetry.ts';

const deadline = createDeadlines(requestDeadline);

/** One request and its response, for the log and the metrics. */
export class Exchange {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The result, one word of a closed set. */
  outcome = 'served';
  /** The authenticated client. */
  clientId: string | undefined;
  /** Metrics in addition to those of every request. */
  measures: Map<string, number> | undefined;
  /** Further log fields in snake_case. Never a credential or text of a caller. */
  readonly fields: Record<string, LogValue> = {};
  error: unknown;
  #signal: AbortSignal | undefined;

  constructor(startedAt: number) {
    this.startedAt = startedAt;
  }

  measure(name: string, value = 1): void {
    this.measures ??= new Map();
    this.measures.set(name, value);
  }

  /**
   * Aborts calls to AWS when the request's deadline passes. The deadline begins when it is first
   * used, because documents from memory make no calls.
   */
  get signal(): AbortSignal {
    this.#signal ??= deadline();
    return this.#signal;
  }
}

/**
 * Adds to the log line of a successful response that it comes from an old list of keys, and why.
 * Otherwise the problem would not be visible.
 *
 * @param failure undefined if the list is fresh.
 */
export function reportStaleKeyList(exchange: Exchange, failure: unknown): void {
  if (failure === undefined) return;
  const { error_name, error_message } = describeError(failure);
  exchange.fields['key_list_error_name'] = error_name;
  exchange.fields['key_list_error_message'] = error_message;
}

/** A client can send any method and path. The log has only these. */
const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

const knownPaths: ReadonlySet<string> = new Set(routes.map(({ path }) => path));

function ifKnown(value: string, known: ReadonlySet<string>): string {
  return known.has(value) ? value : 'other';
}

function levelOf(statusCode: number): RequestReport['level'] {
  if (statusCode === 429 || statusCode === 503) return 'warn';
  return statusCode < 500 ? 'info' : 'error';
}

/** The report of a request that was answered at `endedAt`, in milliseconds since the epoch. */
export function reportOf(
  event: APIGatewayProxyEvent,
  exchange: Exchange,
  statusCode: number,
  endedAt: number,
): RequestReport {
  const { outcome, clientId, measures } = exchange;
  return {
    level: levelOf(statusCode),
    outcome,
    statusCode,
    latency: endedAt - exchange.startedAt,
    clientId,
    measures,
    fields: {
      http_method: ifKnown(event.httpMethod, knownMethods),
      path: ifKnown(event.resource, knownPaths),
      source_ip: event.requestContext.identity.sourceIp,
      request_id: event.requestContext.requestId,
      trace_id: readTraceId(readHeader(event.multiValueHeaders ?? {}, 'traceparent')),
      ...exchange.fields,
      ...(statusCode >= 500 && describeError(exchange.error)),
    },
  };
}

export type Endpoint = (
  request: HttpRequest,
  exchange: Exchange,
) => HttpResponse | Promise<HttpResponse>;

/** The endpoints of a function, by the path of the route. */
export interface FunctionEndpoints {
  readonly name: HttpFunctionName;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

/** Passes a request to the endpoint of its route if the route supports the method. */
export function dispatch(
  { name, endpoints }: FunctionEndpoints,
  request: HttpRequest,
  exchange: Exchange,
): HttpResponse | Promise<HttpResponse> {
  const route = routes.find(({ path, function: owner }) => path === request.path && owner === name);
  const endpoint = endpoints.get(request.path);
  if (route === undefined || endpoint === undefined) {
    exchange.outcome = notFoundBody.error;
    return jsonResponse(404, notFoundBody, noStoreHeaders);
  }
  if (!route.methods.includes(request.method)) {
    exchange.outcome = 'method_not_allowed';
    const headers = { ...noStoreHeaders, Allow: route.methods.join(', ') };
    return jsonResponse(405, methodNotAllowedBody, headers);
  }
  return endpoint(request, exchange);
}
