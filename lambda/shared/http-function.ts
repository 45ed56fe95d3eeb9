// oxlint-disable-next-line import/no-named-as-default -- middy's types have only the default
import middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import {
  methodNotAllowedBody,
  noStoreHeaders,
  notFoundBody,
  securityHeaders,
} from '../../contract/error-body.ts';
import { type HttpFunctionName, routes } from '../../contract/routes.ts';
import type { Exchange, ExchangeContext } from './exchange.ts';
import type { FunctionOptions } from './function-options.ts';
import { type HttpRequest, type HttpResponse, jsonResponse } from './http-message.ts';
import { errorResponses } from './middleware/error-responses.ts';
import { requestLog } from './middleware/request-log.ts';
import { responseHeaders } from './middleware/response-headers.ts';
import { readHttpRequest } from './proxy-event.ts';

export type Endpoint = (
  request: HttpRequest,
  exchange: Exchange,
) => HttpResponse | Promise<HttpResponse>;

export interface HttpFunctionProps extends FunctionOptions {
  readonly name: HttpFunctionName;
  /** By the path of the route. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** Sent with 401. */
  readonly challenge?: string;
  /** On every response, in addition to the security headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type HttpFunction = (event: APIGatewayProxyEvent, context: Context) => Promise<HttpResponse>;

/** Passes a request to the endpoint of its route if the route supports the method. */
function dispatch(
  { name, endpoints }: HttpFunctionProps,
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

/**
 * A Lambda function that answers requests of the REST API. Calls to AWS end with the deadline of the
 * exchange, long before Lambda's timeout, so middy starts no timer for it.
 */
export function createHttpFunction(props: HttpFunctionProps): HttpFunction {
  const handler = middy<APIGatewayProxyEvent, HttpResponse, Error, ExchangeContext>({
    timeoutEarlyInMillis: 0,
  })
    .use(requestLog(props))
    .use(responseHeaders({ ...securityHeaders, ...props.headers }))
    .use(errorResponses(props.challenge))
    .handler(async (event, { exchange }) => dispatch(props, readHttpRequest(event), exchange));
  return (event, context) => handler(event, context as ExchangeContext);
}
