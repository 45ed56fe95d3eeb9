import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';

/** A Lambda function of a proxy integration. Its output is checked as in API Gateway. */
export type ProxyHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<unknown>;

/** A Lambda authorizer of type REQUEST, without result caching. */
export interface RequestAuthorizer {
  readonly functionName: string;
  readonly handler: (event: APIGatewayRequestAuthorizerEvent, context: Context) => Promise<unknown>;
}

/** The context of an authorizer's decision: text by name, for functions and responses. */
export type AuthorizerContext = Readonly<Record<string, string>>;

/** API Gateway's `ResponseType`s that the local gateway supports. */
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
  /**
   * A template: `$context.authorizer.<name>` is replaced by a value of the authorizer's context.
   */
  readonly body: object;
}

/** A resource of the REST API with an `ANY` method. */
export interface GatewayRoute {
  /** Matched character by character, except that REST APIs ignore one slash at the end. */
  readonly path: string;
  readonly functionName: string;
  readonly handler: ProxyHandler;
  readonly authorizer?: RequestAuthorizer;
  readonly errors?: readonly RouteError[];
}

/** A request as received over HTTP. */
export interface GatewayRequest {
  readonly method: string;
  /** Path and query as on the wire. */
  readonly target: string;
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Address of the TCP peer. */
  readonly sourceIp: string;
  readonly scheme: 'http' | 'https';
  readonly port: number;
  readonly httpVersion: string;
}

/** A response as it is sent over HTTP. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
}

/** What API Gateway knows about a request in addition to its content. */
export interface GatewayCall {
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly route: GatewayRoute;
  /** Maximum milliseconds of the function. */
  readonly timeout: number;
}
