import type { AwsClientOptions } from '../../adapters/aws-client-options.ts';
import { type AwsJsonClients, createAwsJsonClients } from '../../adapters/aws-json-clients.ts';
import { sendAnswer } from '../../adapters/cloudformation/send-answer.ts';
import { openJsonDynamoDb } from '../../adapters/dynamodb/clients/json-documents.ts';
import {
  createFetchServiceDocument,
  createPostTokenRequest,
} from '../../adapters/https/service-requests.ts';
import {
  createCheckKey,
  createPublishKey,
  createSelfTestCall,
} from '../../adapters/lambda/function-calls.ts';
import type { InvokeFunction } from '../../adapters/lambda/invocation.ts';
import { openManagementTables } from '../../adapters/management-tables.ts';
import {
  type AuthenticateCaller,
  createAuthenticateCaller,
} from '../../adapters/sts/authenticate-caller.ts';
import type { CallerProof } from '../../contract/caller-proof.ts';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import type { RotationReport } from '../../contract/function-events.ts';
import { type FunctionName, functionName } from '../../contract/function-names.ts';
import { functionSettings, type SettingsSource } from '../../contract/function-settings.ts';
import { settingsVariables } from '../../contract/read-settings.ts';
import type { OnLookupFailure } from '../../contract/revocation-check.ts';
import { type HttpFunctionName, routesOf } from '../../contract/routes.ts';
import { UnavailableError } from '../../core/errors.ts';
import type { PutNotices } from '../../core/notices/expiry-notices.ts';
import { type Clock, seconds } from '../../core/time.ts';
import { type CanaryOptions, createCanaryHandler } from '../../lambda/canary/function.ts';
import { createDiscoveryHandler } from '../../lambda/discovery/function.ts';
import { createJwksHandler } from '../../lambda/jwks/function.ts';
import { createKeyRotationHandler } from '../../lambda/key-rotation/function.ts';
import { createManagementHandler } from '../../lambda/management/function.ts';
import { createNoticesHandler } from '../../lambda/notices/function.ts';
import type { LogFields } from '../../lambda/shared/telemetry.ts';
import { createSyntheticCheckHandler } from '../../lambda/synthetic-check/function.ts';
import { createTokenHandler } from '../../lambda/token/function.ts';
import type { GatewayRoute, ProxyHandler } from '../emulator/gateway/gateway-route.ts';
import { throughJson } from '../emulator/gateway/integration.ts';
import { buildLambdaContext } from '../emulator/gateway/lambda-context.ts';
import { localApi } from '../emulator/gateway/request-context.ts';
import type { EventHandler } from '../emulator/lambda-server.ts';
import { type AwsClients, createAwsClients, toVariables } from '../support/aws-clients.ts';
import { createDocsRoute } from './docs-page.ts';
import { describeEnvironments } from './environment-source.ts';
import { createExampleRoute } from './example-api.ts';
import { createLocalRunTelemetry, createLocalTelemetry } from './local-telemetry.ts';
import type { LogFile } from './log-file.ts';

/** `rotate` is an operator's: only a run whose clock is moved accepts a proof without asking STS. */
type RotationEvent =
  | { readonly action: 'deploy' | 'reconcile' }
  | { readonly action: 'rotate'; readonly caller_proof: CallerProof };

/** The functions of the deployment, as Lambda would run them, in this process. */
export interface LocalFunctions {
  readonly routes: readonly GatewayRoute[];
  /** Handlers of events, by the functions' names in AWS. */
  readonly eventHandlers: ReadonlyMap<string, EventHandler>;
  /** Environments by the same names, for those who compare them with a config. */
  readonly environments?: ReadonlyMap<string, Readonly<Record<string, string>>> | undefined;
  rotateKeys(event: RotationEvent): Promise<RotationReport>;
  /** Checks whether tokens of the signing key verify. */
  checkKeys(): Promise<unknown>;
  close(): Promise<void>;
}

/** Lambda's longest timeout, in milliseconds, which the rotation has in the stack, too. */
const eventTimeout = 15 * 60_000;

type HttpHandlers = Readonly<Record<HttpFunctionName, ProxyHandler>>;

function createHttpHandlers(
  source: SettingsSource,
  aws: AwsJsonClients,
  {
    log,
    clock,
    ca,
  }: Required<Pick<LocalFunctionOptions, 'log' | 'clock'>> & { ca?: string | undefined },
) {
  const options = (name: HttpFunctionName, persistentKeys?: LogFields) => ({
    telemetry: createLocalTelemetry(name, log, persistentKeys),
    clock,
  });
  return {
    token: createTokenHandler(functionSettings.token(source), aws, {
      ...options('token', { region_id: source.regionId }),
      loadFederation: async () => {
        const file = await import('../../lambda/token/federated.ts');
        const guard = { allowLoopback: true, ca };
        return { createFederation: (given) => file.createFederation({ ...given, guard }) };
      },
      loadProofs: () => import('../../lambda/token/proofs.ts'),
    }),
    discovery: createDiscoveryHandler(functionSettings.discovery(source), options('discovery')),
    jwks: createJwksHandler(functionSettings.jwks(source), aws, options('jwks')),
  };
}

function toRoutes(config: DeploymentConfig, handlers: HttpHandlers): readonly GatewayRoute[] {
  return routesOf(config).map((route) => ({
    path: route.path,
    functionName: functionName(config.name, route.function),
    handler: handlers[route.function],
  }));
}

/** Invokes a function of this process, by its name in AWS. */
function createInvoke(handlers: ReadonlyMap<string, EventHandler>): InvokeFunction {
  return async (name, event) => {
    const handler = handlers.get(name);
    if (handler === undefined) throw new UnavailableError(`there is no function ${name}`);
    return throughJson(await handler(throughJson(event), { functionArn: name }));
  };
}

interface LocalFunctionOptions {
  readonly clientOptions: AwsClientOptions;
  readonly log: LogFile;
  /** Certificates to trust in addition to those of Node, PEM: the authority of `--https`. */
  readonly ca?: string | undefined;
  /** What the example API does if a client cannot be looked up. Left out: none is looked up. */
  readonly checkRevocation?: OnLookupFailure | undefined;
  /** The functions' clock: milliseconds since the epoch. */
  readonly clock?: Clock;
  /** The clock is moved on purpose, so it is not compared with the times of AWS's answers. */
  readonly isClockMoved?: boolean | undefined;
}

/** Functions that call the service from outside. */
function createChecks(
  source: SettingsSource,
  aws: AwsClients,
  log: LogFile,
  { ca, ...options }: Omit<CanaryOptions, 'fetchDocument'> & Pick<LocalFunctionOptions, 'ca'>,
) {
  const fetchDocument = createFetchServiceDocument({ ca });
  return {
    canary: createCanaryHandler(functionSettings.canary(source), aws, {
      fetchDocument,
      telemetry: createLocalRunTelemetry('canary', log),
      ...options,
    }),
    syntheticCheck: createSyntheticCheckHandler(
      functionSettings['synthetic-check'](source),
      aws,
      { postTokenRequest: createPostTokenRequest({ ca }), fetchDocument },
      { telemetry: createLocalRunTelemetry('synthetic-check', log), clock: options.clock },
    ),
  };
}

function createManagement(
  config: DeploymentConfig,
  { clientOptions, log, ca }: Pick<LocalFunctionOptions, 'clientOptions' | 'log' | 'ca'>,
): EventHandler {
  const environment = toVariables(clientOptions);
  const handler = createManagementHandler({
    createContext: openManagementTables({
      config,
      open: openJsonDynamoDb(environment, 'request'),
      allowLoopbackProviders: true,
      ca,
    }),
    authenticateCaller: createAuthenticateCaller(environment),
    telemetry: createLocalRunTelemetry('management', log),
  });
  return (event, { functionArn: invokedFunctionArn }) => handler(event, { invokedFunctionArn });
}

/** Notices are lines of the log: there is no bus. */
function createNotices(
  source: SettingsSource,
  { clientOptions, log }: Pick<LocalFunctionOptions, 'clientOptions' | 'log'>,
): EventHandler {
  const dynamodb = openJsonDynamoDb(toVariables(clientOptions), 'background')(() => undefined).own;
  const putNotices: PutNotices = async (notices) => {
    for (const detail of notices) log.write({ level: 'INFO', service: 'notices', detail });
  };
  const telemetry = createLocalRunTelemetry('notices', log);
  return createNoticesHandler(
    functionSettings.notices(source),
    { dynamodb, putNotices },
    telemetry,
  );
}

/** A moved clock is not compared with the times of AWS's answers. */
function readTime({ clock = Date.now, isClockMoved }: LocalFunctionOptions) {
  return { clock, ...(isClockMoved === true && { now: () => seconds(clock()) }) };
}

/** STS, which compares signatures with this machine's time. A moved clock needs no operators. */
function chooseCallers({ clientOptions, isClockMoved }: LocalFunctionOptions): AuthenticateCaller {
  return isClockMoved === true
    ? async () => `arn:aws:iam::${localApi.accountId}:user/test`
    : createAuthenticateCaller(toVariables(clientOptions));
}

function closeClients(aws: AwsJsonClients, background: AwsClients): void {
  aws.close();
  background.dynamodb.destroy();
  background.kms.destroy();
}

/** Creates every function with the environment that the stack would give it. */
export function createFunctions(
  config: DeploymentConfig,
  issuer: string,
  options: LocalFunctionOptions,
): LocalFunctions {
  const { clientOptions, log, ca, checkRevocation } = options;
  const time = readTime(options);
  const { clock } = time;
  const source = describeEnvironments(config, issuer);
  const aws = createAwsJsonClients(toVariables(clientOptions));
  const background = createAwsClients({ ...clientOptions, profile: 'background' });
  const http = createHttpHandlers(source, aws, { log, clock, ca });
  const handlers = new Map<string, EventHandler>();
  const invoke = createInvoke(handlers);
  const nameOf = (name: FunctionName): string => functionName(config.name, name);
  const contextOf = (name: FunctionName) =>
    buildLambdaContext(nameOf(name), 'local', Date.now() + eventTimeout);
  const selfTest = createSelfTestCall(invoke, nameOf('token'));
  const rotation = createKeyRotationHandler(functionSettings['key-rotation'](source), background, {
    sendAnswer,
    authenticateCaller: chooseCallers(options),
    selfTest,
    checkKey: createCheckKey(invoke, nameOf('canary')),
    publishKey: createPublishKey(invoke, nameOf('canary')),
    telemetry: createLocalRunTelemetry('key-rotation', log),
    ...time,
  });
  const { canary, syntheticCheck } = createChecks(source, background, log, {
    ca,
    selfTest,
    ...time,
  });
  const rotateKeys = (event: unknown) => rotation(event, contextOf('key-rotation'));
  handlers.set(nameOf('key-rotation'), rotateKeys);
  handlers.set(nameOf('canary'), canary);
  // Runs only by hand: otherwise its client would be in every list of clients.
  handlers.set(nameOf('synthetic-check'), syntheticCheck);
  handlers.set(nameOf('notices'), createNotices(source, { clientOptions, log }));
  const management = createManagement(config, { clientOptions, log, ca });
  handlers.set(nameOf('management'), management);
  handlers.set(nameOf('token'), (event) => http.token(event as never, contextOf('token')));
  const example = createExampleRoute({
    config,
    issuer,
    aws,
    telemetry: createLocalTelemetry('authorizer', log),
    ca,
    checkRevocation,
    clock,
  });
  return {
    routes: [...toRoutes(config, http), example, createDocsRoute(config.name, issuer)],
    eventHandlers: handlers,
    environments: new Map([[nameOf('token'), settingsVariables(functionSettings.token(source))]]),
    rotateKeys,
    checkKeys: () => canary({}),
    close: async () => closeClients(aws, background),
  };
}
