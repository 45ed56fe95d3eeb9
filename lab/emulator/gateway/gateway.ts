import { randomUUID } from 'node:crypto';
import { buildGatewayError } from './gateway-error.ts';
import type { GatewayRequest, GatewayResponse, GatewayRoute } from './gateway-route.ts';
import { headerValues } from './headers.ts';
import { integrate, type OnFunctionError } from './integration.ts';
import { pathOf } from './proxy-event.ts';

/** Quota of API Gateway: bytes of a request's payload. */
export const maxPayloadBytes = 10 * 1024 * 1024;

/** Quota of API Gateway: bytes of the request line and all header values together. */
const maxHeaderBytes = 10_240;

/** Quota of API Gateway: milliseconds that an integration may take. */
const maxIntegrationTime = 29_000;

/** The methods that `ANY` matches. */
const methods = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

interface GatewayOptions {
  readonly routes: readonly GatewayRoute[];
  /** The time of a request in its event: milliseconds since the epoch. */
  readonly clock?: (() => number) | undefined;
  /** Receives each mistake of a function: it threw, or returned an invalid response. */
  readonly onFunctionError?: OnFunctionError;
}

/** Answers a request like a REST API with Lambda proxy integrations. */
export type Gateway = (request: GatewayRequest) => Promise<GatewayResponse>;

function headerBytes(request: GatewayRequest): number {
  const values = request.rawHeaders.filter((_, index) => index % 2 === 1);
  return [request.method, request.target, ...values].reduce(
    (sum, text) => sum + Buffer.byteLength(text, 'latin1'),
    0,
  );
}

function addGatewayHeaders(response: GatewayResponse, requestId: string): GatewayResponse {
  const headers = new Map(response.headers);
  headers.set('x-amzn-RequestId', [requestId]);
  headers.set('x-amz-apigw-id', [requestId]);
  return { ...response, headers };
}

export function createGateway(options: GatewayOptions): Gateway {
  const routes = new Map(options.routes.map((route) => [route.path, route]));
  const { clock = Date.now } = options;
  const onFunctionError = options.onFunctionError ?? (() => undefined);

  async function answer(request: GatewayRequest, requestId: string): Promise<GatewayResponse> {
    if (headerBytes(request) > maxHeaderBytes) return buildGatewayError('DEFAULT_4XX', 431);
    // RFC 9112 §3.2.
    if (headerValues(request.rawHeaders, 'host').length !== 1)
      return buildGatewayError('DEFAULT_4XX', 400);
    const route = routes.get(pathOf(request.target).replace(/(?<=[^/])\/$/, ''));
    if (route === undefined || !methods.has(request.method)) {
      return buildGatewayError('MISSING_AUTHENTICATION_TOKEN');
    }
    if (request.body.length > maxPayloadBytes) return buildGatewayError('REQUEST_TOO_LARGE');
    const call = { requestId, time: clock(), route, timeout: maxIntegrationTime };
    return integrate(request, call, onFunctionError);
  }

  return async (request) => {
    const requestId = randomUUID();
    return addGatewayHeaders(await answer(request, requestId), requestId);
  };
}
