import type {
  APIGatewayAuthorizerResult,
  APIGatewayRequestAuthorizerEvent,
  ConditionBlock,
  Context,
  Statement,
} from 'aws-lambda';
import type { AwsJsonClients } from '../../adapters/aws-json-clients.ts';
import { createDeadlines } from '../../adapters/deadline.ts';
import { createJsonCalls, rememberItems } from '../../adapters/dynamodb/clients/json-calls.ts';
import { createDynamoDbIdentityProviderReader } from '../../adapters/dynamodb/items/identity-provider-item.ts';
import { createDynamoDbApiKeyReader } from '../../adapters/dynamodb/stores/api-key-store.ts';
import { createApiKeyUseRecorder } from '../../adapters/dynamodb/stores/api-key-uses.ts';
import { createDynamoDbClientLookup } from '../../adapters/dynamodb/stores/client-lookup.ts';
import { holdProviders } from '../../adapters/dynamodb/stores/remember-found.ts';
import { createVerifierKeys } from '../../adapters/https/fetch-key-set.ts';
import { openRevocationCheck } from '../../adapters/revocation-options.ts';
import { requestDeadline } from '../../contract/bounds.ts';
import type { Settings } from '../../contract/function-settings.ts';
import {
  type AuthorizerContext,
  requiredScopeContextKey,
  routeKey,
} from '../../contract/platform-authorizer.ts';
import { authorizerMetrics } from '../../contract/request-metrics.ts';
import { readTraceId } from '../../contract/trace-context.ts';
import type { RecordApiKeyUse } from '../../core/api-key/api-key.ts';
import { describeError } from '../../core/errors.ts';
import { formatTime, seconds } from '../../core/time.ts';
import { ownJwksSource } from '../../core/verifier/access-token.ts';
import { BearerRefusal, type RefusalFacts } from '../../core/verifier/bearer-refusal.ts';
import { identifyCaller } from '../../core/verifier/caller-identity.ts';
import { credentialFields, describeRejection } from '../../core/verifier/decision-log.ts';
import type { ProofTarget } from '../../core/verifier/dpop-proof.ts';
import type { JwksCache, KeyFetch } from '../../core/verifier/jwks-cache.ts';
import { ProofMemory } from '../../core/verifier/proof-memory.ts';
import type { VerifiedCredential } from '../../core/verifier/verified-credential.ts';
import { type VerifierPorts, verifyBearer } from '../../core/verifier/verify-bearer.ts';
import { readHeader } from '../shared/http-message.ts';
import {
  createLogLines,
  type FunctionOptions,
  type LogEntry,
  type RequestReport,
  resolveOptions,
} from '../shared/telemetry.ts';

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

type Report = Omit<RequestReport, 'latency'>;

const withoutLookup: RequestReport['measures'] = new Map([
  [authorizerMetrics.acceptedWithoutLookup, 1],
]);

function reportAllow(verified: VerifiedCredential): Report {
  const fields = credentialFields(verified);
  const allowed = { level: 'info', outcome: 'allowed', statusCode: 200, fields } as const;
  if (verified.credential === 'api_key') return allowed;
  const { clientId, lookupFailure } = verified;
  return lookupFailure === undefined
    ? { ...allowed, clientId }
    : { ...allowed, clientId, level: 'warn', measures: withoutLookup };
}

function reportRejection(error: unknown): Report {
  const statusCode = error instanceof BearerRefusal ? error.status : 500;
  return { ...describeRejection(error), statusCode };
}

/**
 * A REQUEST authorizer of a REST API. It returns a policy that allows the one method, or one that
 * denies it because a scope is missing (403); it throws `Unauthorized` for every other refusal
 * (401), and another error if there is no decision (500). No error ever allows access.
 */
export function createAuthorizerFunction(
  settings: Settings<'authorizer'>,
  ports: VerifierPorts & { readonly jwks: JwksCache },
  overrides: Partial<FunctionOptions> = {},
): AuthorizerFunction {
  const { clock, telemetry } = resolveOptions('authorizer', {}, overrides);
  const deadline = createDeadlines(requestDeadline);
  const readScopes = createScopeReader(settings.requiredScopes);
  const isCached = settings.resultCacheTtl > 0;
  // At INIT, so the keys are there for the first request. The cache records failures.
  void ports.jwks.refresh(ownJwksSource(settings));

  async function decide(event: APIGatewayRequestAuthorizerEvent): Promise<VerifiedCredential> {
    const request = {
      authorization: readHeader(event.multiValueHeaders ?? {}, 'authorization'),
      // A cached decision would answer for later proofs, which no one would check.
      readTarget: isCached ? undefined : () => proofTargetOf(event, settings.dpopOrigins),
      // According to the gateway. No header of the request is used.
      sourceAddress: event.requestContext.identity.sourceIp,
      signal: deadline(),
      requiredScopes: readScopes(event),
      now: seconds(clock()),
    };
    return verifyBearer(request, ports, settings);
  }

  return async (event, context) => {
    const startedAt = clock();
    const report = (what: Report): void => {
      const fields = {
        route: `${event.httpMethod} ${event.requestContext.resourcePath}`,
        source_ip: event.requestContext.identity.sourceIp,
        request_id: event.requestContext.requestId,
        trace_id: readTraceId(readHeader(event.multiValueHeaders ?? {}, 'traceparent')),
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

/**
 * The gateway routes by the host, so its own name for it is the one that the client called, unless
 * something stands before the gateway. `requestContext.path` has the stage or the base path.
 */
function proofTargetOf(
  event: APIGatewayRequestAuthorizerEvent,
  configured: readonly string[] | undefined,
): ProofTarget {
  const { domainName = '', path } = event.requestContext;
  const origins = configured ?? [`https://${domainName}`];
  const proofs = readHeader(event.multiValueHeaders ?? {}, 'dpop');
  return { proofs, method: event.httpMethod, urls: origins.map((origin) => origin + path) };
}

interface AuthorizerOptions extends FunctionOptions {
  /** Certificates to trust in addition to those of Node, PEM. For the local run and tests. */
  readonly ca: string | undefined;
  /** Providers on loopback: only in the local run. */
  readonly allowLoopback: boolean;
}

type AuthorizerClients = Pick<AwsJsonClients, 'dynamodb'> &
  Partial<Pick<AwsJsonClients, 'createOptionalDynamoDb'>>;

/** On connections of its own: nothing that a request needs waits behind it. */
function openUses(
  { apiKeyUsesTable: table }: Settings<'authorizer'>,
  { createOptionalDynamoDb }: AuthorizerClients,
): RecordApiKeyUse | undefined {
  if (table === undefined || createOptionalDynamoDb === undefined) return undefined;
  return createApiKeyUseRecorder(createOptionalDynamoDb(), table);
}

export function createAuthorizerHandler(
  settings: Settings<'authorizer'>,
  aws: AuthorizerClients,
  options: Partial<AuthorizerOptions> = {},
): AuthorizerFunction {
  const calls = createJsonCalls(aws.dynamodb, rememberItems());
  const { issuer, jwksUri } = settings;
  const own = { issuer, jwksUri, ca: options.ca };
  const clock = options.clock ?? Date.now;
  const formatLine = createLogLines('authorizer', {}, process.env);
  const onFetched = (fetch: KeyFetch): void => {
    if (fetch.issuer === issuer) return;
    process.stdout.write(formatLine(describeProviderFetch(fetch), clock()));
  };
  const clients = createDynamoDbClientLookup(calls, settings.clientsTable);
  const { revocationCheck: onLookupFailure, identityProvidersTable } = settings;
  const identityProviders = holdProviders(
    createDynamoDbIdentityProviderReader(calls, identityProvidersTable),
  );
  const ports = {
    proofs: { memory: new ProofMemory(), algorithms: settings.dpopAlgorithms },
    jwks: createVerifierKeys(
      own,
      { allowLoopback: options.allowLoopback },
      { clock, onFetched, isFunction: true, identityProviders },
    ),
    apiKeys: {
      ...createDynamoDbApiKeyReader(calls, settings.apiKeysTable),
      recordUse: openUses(settings, aws),
    },
    clients,
    revocation: onLookupFailure && openRevocationCheck(clients, onLookupFailure),
    identityProviders,
  };
  return createAuthorizerFunction(settings, ports, options);
}

/**
 * The entry of the log for each fetch of a provider's keys, which names the provider. Its metric has
 * no dimension: a customer that registers providers creates no metrics, and the maximum is the
 * slowest provider.
 */
export function describeProviderFetch({ issuer, milliseconds, failure }: KeyFetch): LogEntry {
  return {
    level: failure === undefined ? 'info' : 'warn',
    outcome: 'provider_fetch',
    fields: { issuer, ...(failure !== undefined && describeError(failure)) },
    metrics: [{ dimensions: [], values: [[authorizerMetrics.providerFetch, milliseconds]] }],
  };
}

/** The only action that API Gateway evaluates in a policy (execute-api). */
const invoke = 'execute-api:Invoke';

function policy(statement: Statement): APIGatewayAuthorizerResult['policyDocument'] {
  return { Version: '2012-10-17', Statement: [statement] };
}

function contextOf(verified: VerifiedCredential): AuthorizerContext {
  const caller = identifyCaller(verified);
  return {
    client_id: caller.clientId,
    scope: caller.scope,
    service_trunk_group: caller.serviceTrunkGroup,
    credential: caller.credential,
    issuer: caller.issuer,
    jti: caller.tokenId,
  };
}

/**
 * API Gateway evaluates a cached policy for each request. This condition ends it when the token or
 * the value of the API key expires.
 */
function endsWith({ expiresAt }: VerifiedCredential): ConditionBlock | undefined {
  if (expiresAt === undefined) return undefined;
  return { DateLessThan: { 'aws:CurrentTime': formatTime(expiresAt) } };
}

/**
 * Allows exactly the requested method.
 *
 * @param isCached whether the gateway may cache the result.
 */
function allow(
  verified: VerifiedCredential,
  methodArn: string,
  isCached: boolean,
): APIGatewayAuthorizerResult {
  const condition = isCached ? endsWith(verified) : undefined;
  return {
    principalId: verified.credential === 'api_key' ? verified.keyId : verified.clientId,
    policyDocument: policy({
      Effect: 'Allow',
      Action: invoke,
      Resource: methodArn,
      ...(condition === undefined ? {} : { Condition: condition }),
    }),
    context: contextOf(verified),
  };
}

/** Denies a request that lacks a scope. The gateway's 403 shows the required scopes. */
function deny(facts: RefusalFacts, methodArn: string): APIGatewayAuthorizerResult {
  return {
    principalId: facts.clientId ?? facts.keyId ?? 'unknown',
    policyDocument: policy({ Effect: 'Deny', Action: invoke, Resource: methodArn }),
    context: { [requiredScopeContextKey]: (facts.requiredScopes ?? []).join(' ') },
  };
}

/** A guarded method without configured scopes: a mistake in the deployment. */
class UnknownRouteError extends Error {
  override readonly name = 'UnknownRouteError';
}

/**
 * @param required scopes by route, e.g. `GET /messages` → `messaging:view`. An `ANY` entry applies to
 *   methods without an entry of their own.
 * @returns the scopes that the method of an event requires; throws UnknownRouteError if it has none,
 *   because it must not be open by mistake.
 */
function createScopeReader(required: Readonly<Record<string, string>>) {
  const split = (scopes: string) => scopes.split(' ').filter((scope) => scope !== '');
  const scopesOf = new Map(Object.entries(required).map(([key, text]) => [key, split(text)]));
  return ({ httpMethod, requestContext }: APIGatewayRequestAuthorizerEvent): readonly string[] => {
    const { resourcePath } = requestContext;
    const key = routeKey(httpMethod, resourcePath);
    const scopes = scopesOf.get(key) ?? scopesOf.get(routeKey('ANY', resourcePath));
    if (scopes === undefined) throw new UnknownRouteError(`no scopes are configured for ${key}`);
    return scopes;
  };
}
