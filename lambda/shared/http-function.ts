import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import {
  methodNotAllowedBody,
  noStoreHeaders,
  notFoundBody,
  securityHeaders,
} from '../../contract/error-body.ts';
import { type HttpFunctionName, routes } from '../../contract/routes.ts';
import { OAuthError } from '../../core/oauth-error.ts';
import { outcomeOf, toErrorResponse } from './error-response.ts';
import { Exchange } from './exchange.ts';
import type { FunctionOptions } from './function-options.ts';
import { type HttpRequest, type HttpResponse, jsonResponse } from './http-message.ts';
import { readHttpRequest } from './proxy-event.ts';
import { reportOf } from './report-exchange.ts';

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

/** Makes the response to any error, and records the outcome of the exchange. */
function refuse(
  error: unknown,
  exchange: Exchange,
  { challenge }: HttpFunctionProps,
): HttpResponse {
  exchange.error = error;
  exchange.outcome = outcomeOf(error);
  if (error instanceof OAuthError) exchange.fields['reason'] = error.reason;
  return toErrorResponse(error, challenge);
}

async function answer(
  props: HttpFunctionProps,
  event: APIGatewayProxyEvent,
  exchange: Exchange,
): Promise<HttpResponse> {
  try {
    return await dispatch(props, readHttpRequest(event), exchange);
  } catch (error) {
    return refuse(error, exchange, props);
  } finally {
    exchange.end();
  }
}

/** A Lambda function that answers requests of the REST API, and reports each of them. */
export function createHttpFunction(props: HttpFunctionProps): HttpFunction {
  const { clock, telemetry } = props;
  const added = { ...securityHeaders, ...props.headers };
  return async (event, context) => {
    const exchange = new Exchange(clock());
    const { statusCode, headers, body } = await answer(props, event, exchange);
    telemetry.report(reportOf(event, exchange, statusCode, clock()), context);
    return {
      statusCode,
      headers: { ...headers, ...added },
      body: event.httpMethod === 'HEAD' ? '' : body,
    };
  };
}
