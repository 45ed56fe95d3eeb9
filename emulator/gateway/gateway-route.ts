import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';

/** A Lambda function of a proxy integration. What it returns is checked, as API Gateway does. */
export type ProxyHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<unknown>;

/** A Lambda authorizer of type REQUEST, without result caching. */
export interface RequestAuthorizer {
  readonly functionName: string;
  readonly handler: (event: APIGatewayRequestAuthorizerEvent, context: Context) => Promise<unknown>;
}

/** What an authorizer says in addition to its decision: text by name, for functions and responses. */
export type AuthorizerContext = Readonly<Record<string, string>>;

/** API Gateway's `ResponseType`s that the local gateway gives. */
export type GatewayErrorType =
  | 'MISSING_AUTHENTICATION_TOKEN'
  | 'REQUEST_TOO_LARGE'
  | 'UNAUTHORIZED'
  | 'ACCESS_DENIED'
  | 'AUTHORIZER_FAILURE'
  | 'AUTHORIZER_CONFIGURATION_ERROR'
  | 'INTEGRATION_FAILURE'
  | 'INTEGRATION_TIMEOUT'
  | 'DEFAULT_4XX'
  | 'DEFAULT_5XX';

/** A gateway response of an API of its own, in place of this service's. */
export interface RouteError {
  readonly type: GatewayErrorType;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A template: `$context.authorizer.<name>` becomes what the authorizer's context says. */
  readonly body: object;
}

/** A resource of the REST API with an `ANY` method. */
export interface GatewayRoute {
  /** Matched character by character: API Gateway does not tidy paths. */
  readonly path: string;
  readonly functionName: string;
  readonly handler: ProxyHandler;
  readonly authorizer?: RequestAuthorizer;
  readonly errors?: readonly RouteError[];
}

/** A request as it came over HTTP. */
export interface GatewayRequest {
  readonly method: string;
  /** Path and query as on the wire. */
  readonly target: string;
  /** Names and values by turns, as they came. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Address of the TCP peer. */
  readonly sourceIp: string;
  readonly scheme: 'http' | 'https';
  readonly port: number;
  readonly httpVersion: string;
}

/** A response as it goes over HTTP. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
}

/** What API Gateway knows of a request in addition to what came. */
export interface GatewayCall {
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly route: GatewayRoute;
  /** Media types that are passed as base64; the service has none. */
  readonly binaryMediaTypes: readonly string[];
  /** Milliseconds that the function may take. */
  readonly timeout: number;
}
