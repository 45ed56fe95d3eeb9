import type {
  APIGatewayAuthorizerResult,
  APIGatewayRequestAuthorizerEvent,
  Context,
} from 'aws-lambda';
import type { AwsJsonClients } from '../../adapters/aws-json-clients.ts';
import { createDeadlines } from '../../adapters/deadline.ts';
import { createDynamoDbApiKeyReader } from '../../adapters/dynamodb/api-key-store.ts';
import { createDynamoDbClientLookup } from '../../adapters/dynamodb/client-lookup.ts';
import { createDynamoDbIdentityProviderReader } from '../../adapters/dynamodb/identity-provider-item.ts';
import { createJsonCalls } from '../../adapters/dynamodb/json-calls.ts';
import { createVerifierKeys } from '../../adapters/https/fetch-key-set.ts';
import { openRevocationCheck } from '../../adapters/revocation-options.ts';
import type { Environment } from '../../contract/environment.ts';
import { requestDeadline } from '../../contract/limits.ts';
import { authorizerMetrics } from '../../contract/request-metrics.ts';
import { jwksPath } from '../../contract/routes.ts';
import { seconds } from '../../core/clock.ts';
import { describeError } from '../../core/describe-error.ts';
import { formatMilliseconds } from '../../core/rfc3339.ts';
import { ownJwksSource } from '../../core/verifier/access-token.ts';
import { BearerRefusal } from '../../core/verifier/bearer-refusal.ts';
import { credentialFields, describeRejection } from '../../core/verifier/decision-log.ts';
import type { JwksCache, KeyFetch } from '../../core/verifier/jwks-cache.ts';
import type { VerifiedCredential } from '../../core/verifier/verified-credential.ts';
import {
  type VerifierPorts,
  type VerifierSettings,
  verifyBearer,
} from '../../core/verifier/verify-bearer.ts';
import { type FunctionOptions, resolveOptions } from '../shared/function-options.ts';
import type { RequestReport } from '../shared/request-report.ts';
import { readMetricNamespace } from '../shared/telemetry.ts';
import { allow, deny, readBearerRequest, readRequiredScopes } from './authorizer-result.ts';

export type AuthorizerFunction = (
  event: APIGatewayRequestAuthorizerEvent,
  context: Context,
) => Promise<APIGatewayAuthorizerResult>;

/** API Gateway answers 401 for exactly this text, and 500 for any other. */
class UnauthorizedError extends Error {
  constructor() {
    super('Unauthorized');
  }
}

/** No detail of an error is passed to API Gateway, which would log it. */
class NoDecisionError extends Error {
  constructor() {
    super('there is no decision on the credential');
  }
}

type Report = Omit<RequestReport, 'latency' | 'measures'>;

const noCounts: ReadonlySet<string> = new Set();
const withoutLookup: ReadonlySet<string> = new Set([authorizerMetrics.acceptedWithoutLookup]);

function reportAllow(verified: VerifiedCredential): Report {
  const fields = credentialFields(verified);
  const allowed = { level: 'info', outcome: 'allowed', statusCode: 200, fields } as const;
  if (verified.credential === 'api_key') return { ...allowed, counts: noCounts };
  const { clientId, lookupFailure } = verified;
  return lookupFailure === undefined
    ? { ...allowed, clientId, counts: noCounts }
    : { ...allowed, clientId, level: 'warn', counts: withoutLookup };
}

function reportRejection(error: unknown): Report {
  const statusCode = error instanceof BearerRefusal ? error.status : 500;
  return { ...describeRejection(error), statusCode, counts: noCounts };
}

function settingsOf(environment: Environment<'authorizer'>): VerifierSettings {
  return {
    issuer: environment.AUTH_ISSUER,
    jwksUri: `${environment.AUTH_ISSUER}${jwksPath}`,
    audiences: environment.AUTH_AUDIENCES,
    defaultAudience: environment.AUTH_DEFAULT_AUDIENCE,
    accessTokenType: environment.AUTH_ACCESS_TOKEN_TYPE,
  };
}

/**
 * A REQUEST authorizer of a REST API. It returns a policy that allows the one method, or one that
 * denies it because a scope is missing (403); it throws `Unauthorized` for every other refusal
 * (401), and another error if there is no decision (500). No error ever allows access.
 */
export function createAuthorizerFunction(
  environment: Environment<'authorizer'>,
  ports: VerifierPorts & { readonly jwks: JwksCache },
  given: Partial<FunctionOptions> = {},
): AuthorizerFunction {
  const { clock, telemetry } = resolveOptions('authorizer', {}, given);
  const settings = settingsOf(environment);
  const deadline = createDeadlines(requestDeadline);
  const isCached = environment.AUTH_RESULT_CACHE_TTL > 0;
  // At INIT, so the keys are there for the first request. The cache records failures.
  void ports.jwks.refresh(ownJwksSource(settings));

  async function decide(event: APIGatewayRequestAuthorizerEvent): Promise<VerifiedCredential> {
    const request = readBearerRequest(event, deadline());
    const requiredScopes = readRequiredScopes(event, environment.AUTH_REQUIRED_SCOPES);
    const now = seconds(clock());
    return verifyBearer({ ...request, requiredScopes, now }, ports, settings);
  }

  return async (event, context) => {
    const startedAt = clock();
    const report = (what: Report): void => {
      const fields = {
        route: `${event.httpMethod} ${event.requestContext.resourcePath}`,
        source_ip: event.requestContext.identity.sourceIp,
        request_id: event.requestContext.requestId,
        ...what.fields,
      };
      const latency = clock() - startedAt;
      telemetry.report({ ...what, latency, fields }, context);
    };
    try {
      const verified = await decide(event);
      report(reportAllow(verified));
      return allow(verified, event.methodArn, isCached);
    } catch (error) {
      report(reportRejection(error));
      if (!(error instanceof BearerRefusal)) throw new NoDecisionError();
      if (error.code === 'insufficient_scope') return deny(error.facts, event.methodArn);
      throw new UnauthorizedError();
    }
  };
}

export interface AuthorizerOptions extends FunctionOptions {
  /** Certificates to trust in addition to those of Node, PEM. For the local run and tests. */
  readonly ca: string | undefined;
}

export function createAuthorizerHandler(
  environment: Environment<'authorizer'>,
  aws: Pick<AwsJsonClients, 'dynamodb'>,
  options: Partial<AuthorizerOptions> = {},
): AuthorizerFunction {
  const calls = createJsonCalls(aws.dynamodb);
  const issuer = environment.AUTH_ISSUER;
  const own = { issuer, jwksUri: `${issuer}${jwksPath}`, ca: options.ca };
  const allowLoopback = environment.AUTH_ALLOW_LOOPBACK_PROVIDERS === '1';
  const clock = options.clock ?? Date.now;
  const onFetched = (fetch: KeyFetch): void => {
    if (fetch.issuer === issuer) return;
    const namespace = readMetricNamespace(process.env);
    process.stdout.write(formatProviderFetch(fetch, namespace, clock()));
  };
  const clients = createDynamoDbClientLookup(calls, environment.AUTH_CLIENTS_TABLE);
  const { AUTH_REVOCATION_CHECK: onLookupFailure } = environment;
  const ports = {
    jwks: createVerifierKeys(own, { allowLoopback }, { clock, onFetched, isFunction: true }),
    apiKeys: createDynamoDbApiKeyReader(calls, environment.AUTH_API_KEYS_TABLE),
    clients,
    revocation: onLookupFailure && openRevocationCheck(clients, onLookupFailure),
    identityProviders: createDynamoDbIdentityProviderReader(
      calls,
      environment.AUTH_IDENTITY_PROVIDERS_TABLE,
    ),
  };
  return createAuthorizerFunction(environment, ports, options);
}

/**
 * One line of the log for each fetch of a provider's keys, which names the provider. It is also a
 * metric in embedded metric format. The metric has no dimension: a customer that registers providers
 * creates no metrics, and the maximum is the slowest provider.
 *
 * @param time milliseconds since the epoch.
 */
export function formatProviderFetch(
  { issuer, milliseconds, failure }: KeyFetch,
  Namespace: string,
  time: number,
): string {
  const name = authorizerMetrics.providerFetch;
  const { error_name, error_message } = describeError(failure);
  const line = {
    _aws: {
      Timestamp: time,
      CloudWatchMetrics: [
        { Namespace, Dimensions: [[]], Metrics: [{ Name: name, Unit: 'Milliseconds' }] },
      ],
    },
    level: failure === undefined ? 'INFO' : 'WARN',
    message: 'provider_fetch',
    timestamp: formatMilliseconds(time),
    service: 'authorizer',
    issuer,
    error_name,
    error_message,
    [name]: milliseconds,
  };
  return `${JSON.stringify(line)}\n`;
}
