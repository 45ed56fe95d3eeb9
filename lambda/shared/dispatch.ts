import { methodNotAllowedBody, noStoreHeaders, notFoundBody } from '../../contract/error-body.ts';
import { type HttpFunctionName, routes } from '../../contract/routes.ts';
import type { Exchange } from './exchange.ts';
import { type HttpRequest, type HttpResponse, jsonResponse } from './http-message.ts';

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
