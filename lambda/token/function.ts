import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { AwsJsonClients } from '../../adapters/aws-json-clients.ts';
import { createJsonCalls, rememberItems } from '../../adapters/dynamodb/clients/json-calls.ts';
import { createDynamoDbClientReader } from '../../adapters/dynamodb/stores/client-reader.ts';
import { createDynamoDbSigningKeyReader } from '../../adapters/dynamodb/stores/signing-key-reader.ts';
import { createJsonKmsSign } from '../../adapters/kms/sign-with-key.ts';
import { authenticationFailureThrottle } from '../../contract/bounds.ts';
import { noStoreHeaders, securityHeaders } from '../../contract/error-body.ts';
import type { SelfTestResult } from '../../contract/function-events.ts';
import type { BindingSettings, Settings } from '../../contract/function-settings.ts';
import { healthyBody, healthyOutcome, selfTestEvent } from '../../contract/health.ts';
import { formerTokenPath, healthPath, tokenPath } from '../../contract/routes.ts';
import { describeError, UnavailableError } from '../../core/errors.ts';
import { isKmsThrottling, SignHistory } from '../../core/signing-key/sign-history.ts';
import type { SigningKeyReader } from '../../core/signing-key/signing-key.ts';
import { SigningKeyCache } from '../../core/signing-key/signing-key-cache.ts';
import { seconds } from '../../core/time.ts';
import { FailureThrottle } from '../../core/token/failure-throttle.ts';
import { FairShare } from '../../core/token/fair-share.ts';
import type { Federation } from '../../core/token/federation.ts';
import type { TokenPorts, TokenSettings } from '../../core/token/issue-token.ts';
import { runSelfTest } from '../../core/token/self-test.ts';
import type { FindBinding } from '../../core/token/token-binding.ts';
import { errorResponse } from '../shared/error-response.ts';
import {
  dispatch,
  type Endpoint,
  Exchange,
  type FunctionEndpoints,
  reportOf,
} from '../shared/exchange.ts';
import {
  addHeaders,
  type HttpResponse,
  jsonResponse,
  readHttpRequest,
} from '../shared/http-message.ts';
import { type FunctionOptions, resolveOptions } from '../shared/telemetry.ts';
import type { FederationSource } from './federated.ts';
import { assertClock, createTokenEndpoint } from './token-endpoint.ts';

interface TokenFunctionPorts
  extends Pick<TokenPorts, 'clients' | 'uses' | 'sign' | 'federation' | 'findBinding'> {
  readonly signingKeys: SigningKeyReader;
}

type SelfTestEvent = typeof selfTestEvent;

/** Answers the gateway's requests, and the self-test that the key rotation invokes. */
export type TokenFunction = {
  (event: APIGatewayProxyEvent, context: Context): Promise<HttpResponse>;
  (event: SelfTestEvent, context: Context): Promise<SelfTestResult>;
};

/** The function's other files. Each is loaded at the first request that needs it. */
interface OtherFiles {
  readonly loadFederation?: () => Promise<{
    readonly createFederation: (source: FederationSource) => Federation;
  }>;
  readonly loadProofs?: () => Promise<{
    readonly openBinding: (settings: BindingSettings) => FindBinding;
  }>;
}

export function createTokenHandler(
  settings: Settings<'token'>,
  aws: AwsJsonClients,
  options: Partial<FunctionOptions> & OtherFiles = {},
): TokenFunction {
  const { clientsTable, signingKeysTable } = settings;
  const calls = createJsonCalls(aws.dynamodb, rememberItems());
  const clients = createDynamoDbClientReader(calls, clientsTable);
  const signingKeys = createDynamoDbSigningKeyReader(calls, signingKeysTable);
  const sign = createJsonKmsSign(aws.kms);
  const { clock = Date.now } = options;
  const federation = openFederation(settings, { calls, clients, clock }, options);
  const findBinding = openBinding(settings, options);
  const ports = { clients, uses: clients, signingKeys, sign, federation, findBinding };
  return createTokenFunction(settings, ports, options);
}

function openFederation(
  { federatedClients: settings, issuer }: Settings<'token'>,
  source: Pick<FederationSource, 'calls' | 'clients' | 'clock'>,
  { loadFederation }: OtherFiles,
): Federation | undefined {
  if (settings === undefined) return undefined;
  const load = needed('federatedClients', loadFederation);
  return later(async () => (await load()).createFederation({ ...source, issuer, settings }));
}

function openBinding(
  { dpop: settings }: Settings<'token'>,
  { loadProofs }: OtherFiles,
): FindBinding | undefined {
  if (settings === undefined) return undefined;
  const load = needed('dpop', loadProofs);
  const find = later(async () => (await load()).openBinding(settings));
  const modes = [...Object.values(settings.audiences), settings.default];
  const mayBeRequired = modes.includes('required');
  return async (proofs, ...request) =>
    mayBeRequired || proofs.length > 0 ? find(proofs, ...request) : { found: undefined };
}

/** @throws {Error} if there is no such file: tokens would be issued without what the variable asks for. */
function needed<Load>(variable: string, load: Load | undefined): Load {
  if (load !== undefined) return load;
  throw new Error(`${variable} is set, but the function was started without the file for it`);
}

/** @param open runs once, at the first call, and again after a failure. */
function later<Request extends readonly unknown[], Result>(
  open: () => Promise<(...request: Request) => Promise<Result>>,
): (...request: Request) => Promise<Result> {
  let opened: ReturnType<typeof open> | undefined;
  return async (...request) => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return (await opened)(...request);
  };
}

export function createTokenFunction(
  settings: Settings<'token'>,
  ports: TokenFunctionPorts,
  overrides: Partial<FunctionOptions> = {},
): TokenFunction {
  const persistentKeys = { region_id: settings.regionId };
  const options = resolveOptions('token', persistentKeys, overrides, { byOutcome: true });
  const cache = new SigningKeyCache(ports.signingKeys, {
    refreshInterval: settings.keyListRefresh,
    maxAge: settings.keyListMaxAge,
  });
  const history = new SignHistory();
  const tokenPorts = {
    ...ports,
    listSigningKeys: cache.listSigningKeys.bind(cache),
    keyListFailure: () => cache.failure,
    sign: history.watch(ports.sign, options.clock),
    share: createShare(settings, history),
    failures: new FailureThrottle(authenticationFailureThrottle),
    keysOnly: settings.keysOnly === true,
  };
  const selfTest = createSelfTest(tokenPorts, settings);
  const healthTest = createSelfTest(tokenPorts, settings, history);
  const tokenEndpoint = createTokenEndpoint(tokenPorts, settings);
  const endpoints: FunctionEndpoints = {
    name: 'token',
    endpoints: new Map([
      [tokenPath, tokenEndpoint],
      [formerTokenPath, tokenEndpoint],
      [healthPath, createHealthEndpoint(healthTest)],
    ]),
  };
  const challenge = `Basic realm="${settings.issuer}"`;
  const handler = async (event: APIGatewayProxyEvent | SelfTestEvent, context: Context) => {
    const { clock, telemetry } = options;
    const exchange = new Exchange(clock());
    if (isSelfTest(event)) return selfTest(exchange.startedAt, exchange.signal);
    const response = await respond(event, exchange, endpoints, challenge);
    // The access log has these, and there are a million a month.
    if (exchange.outcome !== healthyOutcome) {
      telemetry.report(reportOf(event, exchange, response.statusCode, clock()), context);
    }
    return addHeaders(response, event.httpMethod, securityHeaders);
  };
  return handler as TokenFunction;
}

function createShare(
  { fairShare: mode, signsPerMinute }: Settings<'token'>,
  history: SignHistory,
): FairShare | undefined {
  if (mode === undefined || signsPerMinute === undefined) return undefined;
  return new FairShare({ isEnforced: mode === 'enforce', signsPerMinute }, history);
}

/** The gateway's events have no `action`: only a direct caller of the function can send one. */
function isSelfTest(event: APIGatewayProxyEvent | SelfTestEvent): event is SelfTestEvent {
  return 'action' in event && event.action === selfTestEvent.action;
}

async function respond(
  event: APIGatewayProxyEvent,
  exchange: Exchange,
  endpoints: FunctionEndpoints,
  challenge: string,
): Promise<HttpResponse> {
  try {
    return await dispatch(endpoints, readHttpRequest(event), exchange);
  } catch (error) {
    return errorResponse(error, exchange, challenge);
  }
}

/**
 * Milliseconds for which the result of a self-test is reused. When a region cannot sign, one round
 * of health checks notices it, and an instance signs at most six times a minute for the check.
 */
const selfTestMaxAge = 10_000;

/** Runs the self-test and returns its result. It never throws. */
type RunSelfTest = (startedAt: number, signal: AbortSignal) => Promise<SelfTestResult>;

/**
 * @param history if one client's flood must not move the traffic of all to another region: KMS may
 * throttle the self-test as long as it signs for others.
 */
function createSelfTest(
  ports: Pick<TokenPorts, 'clients' | 'listSigningKeys' | 'sign'>,
  settings: TokenSettings,
  history?: SignHistory,
): RunSelfTest {
  return async (startedAt, signal) => {
    const now = seconds(startedAt);
    try {
      await runSelfTest(ports, { now, signal }, settings);
      return { ok: true };
    } catch (error) {
      if (history?.hasSigned(now) && isKmsThrottling(error)) return { ok: true };
      const { error_name, error_message } = describeError(error);
      return { ok: false, reason: `${String(error_name)}: ${String(error_message)}` };
    }
  };
}

/** `GET /health`, for load balancers: only whether this region can issue tokens. */
function createHealthEndpoint(selfTest: RunSelfTest): Endpoint {
  let testedAt = Number.NEGATIVE_INFINITY;
  let result: Promise<SelfTestResult> | undefined;
  return async (request, exchange) => {
    assertClock(request, exchange);
    const { startedAt, signal } = exchange;
    if (result === undefined || startedAt < testedAt || startedAt - testedAt >= selfTestMaxAge) {
      testedAt = startedAt;
      result = selfTest(startedAt, signal);
    }
    const { ok, reason } = await result;
    if (!ok) throw new UnavailableError(`the self-test failed: ${reason}`);
    exchange.outcome = healthyOutcome;
    return jsonResponse(200, healthyBody, noStoreHeaders);
  };
}
