import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildGatewayError } from './gateway-error.ts';
import type {
  GatewayCall,
  GatewayRequest,
  GatewayResponse,
  GatewayRoute,
} from './gateway-route.ts';
import { buildLambdaContext } from './lambda-context.ts';
import { buildProxyEvent, isBinary, pathOf } from './proxy-event.ts';
import { readProxyResponse } from './proxy-response.ts';

/** Quota of API Gateway: bytes of a request's payload. */
export const maxPayloadBytes = 10 * 1024 * 1024;

/** Quota of API Gateway: bytes of the request line and all header values together. */
const maxHeaderBytes = 10_240;

/** Quota of API Gateway: milliseconds that an integration may take. */
const maxIntegrationTime = 29_000;

/** What `ANY` stands for. */
const methods = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

export interface GatewayOptions {
  readonly routes: readonly GatewayRoute[];
  readonly binaryMediaTypes?: readonly string[];
  /** Milliseconds; API Gateway's quota where left out. */
  readonly integrationTimeout?: number;
  /** Told of what a function did wrong: thrown, or returned what is no response. */
  readonly onFunctionError?: (functionName: string, error: unknown) => void;
}

/** Answers a request as a REST API with Lambda proxy integrations does. */
export type Gateway = (request: GatewayRequest) => Promise<GatewayResponse>;

function headerBytes(request: GatewayRequest): number {
  const values = request.rawHeaders.filter((_, index) => index % 2 === 1);
  return [request.method, request.target, ...values].reduce(
    (sum, text) => sum + Buffer.byteLength(text, 'latin1'),
    0,
  );
}

function headerValues(request: GatewayRequest, name: string): readonly string[] {
  return request.rawHeaders.filter(
    (_, index) => index % 2 === 1 && request.rawHeaders[index - 1]?.toLowerCase() === name,
  );
}

/** Of several media types, API Gateway honours the first alone. */
function acceptsBinary(request: GatewayRequest, binary: readonly string[]): boolean {
  return isBinary(headerValues(request, 'accept')[0]?.split(',')[0], binary);
}

const timedOut = Symbol('timed out');

/** Lambda carries events and responses as JSON: what JSON cannot hold does not arrive. */
function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value) ?? 'null') as T;
}

async function invoke(call: GatewayCall, request: GatewayRequest, timeout: number) {
  const { route, requestId } = call;
  const context = buildLambdaContext(route.functionName, requestId, call.time + timeout);
  const done = new AbortController();
  try {
    return await Promise.race([
      route.handler(throughJson(buildProxyEvent(request, call)), context),
      sleep(timeout, timedOut, { signal: done.signal, ref: false }),
    ]);
  } finally {
    done.abort();
  }
}

function addGatewayHeaders(response: GatewayResponse, requestId: string): GatewayResponse {
  const headers = new Map(response.headers);
  headers.set('x-amzn-RequestId', [requestId]);
  headers.set('x-amz-apigw-id', [requestId]);
  return { ...response, headers };
}

export function createGateway(options: GatewayOptions): Gateway {
  const routes = new Map(options.routes.map((route) => [route.path, route]));
  const binaryMediaTypes = options.binaryMediaTypes ?? [];
  const timeout = options.integrationTimeout ?? maxIntegrationTime;

  async function integrate(request: GatewayRequest, call: GatewayCall): Promise<GatewayResponse> {
    try {
      const output = await invoke(call, request, timeout);
      if (output === timedOut) return buildGatewayError('INTEGRATION_TIMEOUT');
      return readProxyResponse(throughJson(output), acceptsBinary(request, binaryMediaTypes));
    } catch (error) {
      options.onFunctionError?.(call.route.functionName, error);
      return buildGatewayError('INTEGRATION_FAILURE');
    }
  }

  async function answer(request: GatewayRequest, requestId: string): Promise<GatewayResponse> {
    if (headerBytes(request) > maxHeaderBytes) return buildGatewayError('DEFAULT_4XX', 431);
    // RFC 9112 §3.2.
    if (headerValues(request, 'host').length !== 1) return buildGatewayError('DEFAULT_4XX', 400);
    const route = routes.get(pathOf(request.target));
    if (route === undefined || !methods.has(request.method)) {
      return buildGatewayError('MISSING_AUTHENTICATION_TOKEN');
    }
    if (request.body.length > maxPayloadBytes) return buildGatewayError('REQUEST_TOO_LARGE');
    return integrate(request, { requestId, time: Date.now(), route, binaryMediaTypes });
  }

  return async (request) => {
    const requestId = randomUUID();
    return addGatewayHeaders(await answer(request, requestId), requestId);
  };
}
