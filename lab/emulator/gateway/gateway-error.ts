import { noStoreHeaders, securityHeaders } from '../../../contract/error-body.ts';
import { gatewayErrors } from '../../../contract/gateway-errors.ts';
import type {
  AuthorizerContext,
  GatewayErrorType,
  GatewayResponse,
  RouteError,
} from './gateway-route.ts';

/** API Gateway's own status codes, for gateway responses that do not set one. */
const ownStatus: Readonly<Partial<Record<GatewayErrorType, number>>> = {
  REQUEST_TOO_LARGE: 413,
  DEFAULT_4XX: 400,
  DEFAULT_5XX: 500,
};

/**
 * A response that the gateway generates, as defined by the stack's gateway responses.
 *
 * @param status of the error, for the default types.
 */
export function buildGatewayError(type: GatewayErrorType, status?: number): GatewayResponse {
  const error = gatewayErrors.find((candidate) => candidate.type === type);
  if (error === undefined) throw new Error(`there is no gateway response ${type}`);
  const headers = new Map<string, readonly string[]>([['Content-Type', ['application/json']]]);
  for (const [name, value] of Object.entries({ ...noStoreHeaders, ...securityHeaders })) {
    headers.set(name, [value]);
  }
  if (error.retryAfter !== undefined) headers.set('Retry-After', [String(error.retryAfter)]);
  return {
    status: error.status ?? status ?? ownStatus[type] ?? 500,
    headers,
    body: Buffer.from(JSON.stringify(error.body)),
  };
}

/**
 * A gateway response of a route's own API. API Gateway replaces unknown variables with an empty
 * text.
 */
export function buildRouteError(error: RouteError, context: AuthorizerContext): GatewayResponse {
  const body = JSON.stringify(error.body).replaceAll(
    /\$context\.authorizer\.(\w+)/g,
    (_, name: string) => context[name] ?? '',
  );
  const headers = Object.entries({ 'Content-Type': 'application/json', ...error.headers });
  return {
    status: error.status,
    headers: new Map(headers.map(([name, value]) => [name, [value]])),
    body: Buffer.from(body),
  };
}
