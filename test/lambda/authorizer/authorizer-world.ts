import type {
  APIGatewayAuthorizerResult,
  APIGatewayRequestAuthorizerEvent,
  Context,
} from 'aws-lambda';
import { audience, createWorld, issuer, type World } from '../../../lab/support/verifier-world.ts';
import { createAuthorizerFunction } from '../../../lambda/authorizer/function.ts';
import type { RequestReport } from '../../../lambda/shared/telemetry.ts';

export interface EventOptions {
  readonly authorization?: string | readonly string[];
  readonly httpMethod?: string;
  readonly resourcePath?: string;
  readonly sourceIp?: string;
  /** `DPoP` headers. */
  readonly proofs?: readonly string[];
}

/** An event as API Gateway sends it to a REQUEST authorizer. */
export function authorizerEvent(options: EventOptions): APIGatewayRequestAuthorizerEvent {
  const { authorization = [], httpMethod = 'GET', resourcePath = '/messages' } = options;
  const values = typeof authorization === 'string' ? [authorization] : [...authorization];
  return {
    type: 'REQUEST',
    methodArn: `arn:aws:execute-api:us-west-2:111122223333:api1/live/${httpMethod}${resourcePath}`,
    resource: resourcePath,
    path: resourcePath,
    httpMethod,
    headers: values.length === 0 ? {} : { Authorization: values.at(-1) },
    multiValueHeaders: {
      ...(values.length > 0 && { Authorization: values }),
      ...(options.proofs && { DPoP: [...options.proofs] }),
    },
    pathParameters: {},
    queryStringParameters: {},
    multiValueQueryStringParameters: {},
    stageVariables: {},
    requestContext: {
      resourcePath,
      httpMethod,
      requestId: 'request-1',
      domainName: 'api1.execute-api.us-west-2.amazonaws.com',
      path: `/live${resourcePath}`,
      identity: { sourceIp: options.sourceIp ?? '203.0.113.9' },
    } as APIGatewayRequestAuthorizerEvent['requestContext'],
  };
}

export interface AuthorizerWorld {
  readonly world: World;
  readonly reports: RequestReport[];
  readonly authorizer: (
    event: APIGatewayRequestAuthorizerEvent,
  ) => Promise<APIGatewayAuthorizerResult>;
}

/** An authorizer over stores in memory. */
export function authorizerWorld(
  options: {
    readonly ports?: Partial<World['ports']>;
    readonly cacheTtl?: number;
    readonly jwksDown?: boolean;
    readonly environment?: Partial<Parameters<typeof createAuthorizerFunction>[0]>;
  } = {},
): AuthorizerWorld {
  const world = createWorld(options.ports);
  if (options.jwksDown === true) world.jwks.clear();
  const reports: RequestReport[] = [];
  const environment = {
    issuer,
    jwksUri: `${issuer}/.well-known/jwks.json`,
    accessTokenType: 'at+jwt' as const,
    audiences: [audience],
    defaultAudience: audience,
    clientsTable: 'clients',
    apiKeysTable: 'api-keys',
    identityProvidersTable: 'identity-providers',
    requiredScopes: {
      'GET /messages': 'messaging:view',
      'POST /messages': 'messaging:manage',
      'ANY /any': 'messaging:view messaging:manage',
      'GET /open': '',
    },
    resultCacheTtl: options.cacheTtl ?? 0,
    ...options.environment,
  };
  const authorizer = createAuthorizerFunction(environment, world.ports, {
    clock: () => world.now * 1000,
    telemetry: { report: (report) => reports.push(report) },
  });
  return { world, reports, authorizer: (event) => authorizer(event, {} as Context) };
}

/** What a fresh authorizer makes of one request. */
export function authorize(options: EventOptions): Promise<APIGatewayAuthorizerResult> {
  return authorizerWorld().authorizer(authorizerEvent(options));
}
