import type { DemoEnvironment } from '../../contract/demo-environment.ts';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import type { RotationReport } from '../../contract/function-events.ts';
import { jwksPath, tokenPath } from '../../contract/routes.ts';
import type { Clock } from '../../core/time.ts';
import { type AccessKey, createAccessKey } from '../emulator/aws-server/access-key.ts';
import type { Faults } from '../emulator/faults/faults.ts';
import { createGateway, type Gateway } from '../emulator/gateway/gateway.ts';
import type { GatewayResponse } from '../emulator/gateway/gateway-route.ts';
import { createGatewayServer, type RequestNote } from '../emulator/gateway/gateway-server.ts';
import { type EventHandler, startLambda } from '../emulator/lambda-server.ts';
import { LocalRunError, maxPort, type PortChoice } from '../emulator/loopback-server.ts';
import { writePrivateFile } from '../emulator/private-file.ts';
import { isNoRoom, type OnStorage } from '../emulator/storage.ts';
import { startBackends } from './backends.ts';
import { loadCertificate } from './certificate.ts';
import { checkKeptKeys } from './check-kept-keys.ts';
import { CleanUp } from './clean-up.ts';
import { seedDemo } from './demo-credentials.ts';
import { formatDemoEnvironment } from './demo-environment.ts';
import { examplePath } from './example-api.ts';
import type { AccessOptions } from './from-synth/access.ts';
import type { LocalFunctions } from './functions.ts';
import type { LocalAwsOptions } from './local-aws-options.ts';
import { type LocalDeploymentOptions, servedRegion } from './local-deployment.ts';
import type { LocalPortalOptions } from './local-portal.ts';
import { listenOnLocalhost, localOrigin } from './localhost.ts';
import { type LogFile, openLogFile } from './log-file.ts';
import type { StartLoginPortal } from './portal-login/start.ts';
import { type CreateProgram, fromSources, type Program, type Surroundings } from './program.ts';
import { startKeySchedule } from './schedule.ts';
import { lockState, makeStateDirectory, resetState, type StatePaths, statePaths } from './state.ts';

export interface LocalOptions extends LocalDeploymentOptions {
  readonly stateDirectory: string;
  /** The port of the service; 0 selects a free one. */
  readonly port: number;
  /** The default is next to `port`, or a free one if that is taken. */
  readonly dynamodbPort?: number | undefined;
  readonly kmsPort?: number | undefined;
  /** Whether the web portal also runs. */
  readonly portal?: boolean;
  readonly portalPort?: number | undefined;
  /** Also runs the portal with a login, for two customers. */
  readonly startLoginPortal?: StartLoginPortal | undefined;
  readonly https?: boolean;
  /** Starts from nothing. */
  readonly reset?: boolean;
  /** What runs instead of the sources. Its config replaces these options. */
  readonly program?: CreateProgram | undefined;
  /** Faults of DynamoDB, KMS and the clock. */
  readonly faults?: Faults | undefined;
  /** A clock that a test moves: milliseconds since the epoch. It is not compared with AWS's time. */
  readonly clock?: Clock | undefined;
  /** Seconds between two runs of the key rotation. The default is that of a deployment. */
  readonly keyScheduleSeconds?: number;
  readonly onRequest?: (note: RequestNote) => void;
  /** Runs when the state cannot be written, and when it can again. */
  readonly onStorage?: OnStorage;
  /** Receives each run of the key rotation. */
  readonly onRotation?: (report: RotationReport) => void;
  /** From templates: receives each request that IAM decided. */
  readonly onDecision?: AccessOptions['onDecision'];
}

/** The whole service, running on loopback. */
export interface LocalRun {
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly jwksUri: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
  /** An API behind the authorizer: GET needs the first scope of the catalogue, POST the second. */
  readonly exampleUrl: string;
  /** The link into the web portal, if it runs. */
  readonly portalUrl: string | undefined;
  /** The customers' portal, if it runs. */
  readonly loginPortalUrl: string | undefined;
  /** For clients of DynamoDB, KMS and Lambda. */
  readonly aws: LocalAwsOptions;
  /** From templates: access keys of users that have one operator's policy each, by its name. */
  readonly operatorKeys: ReadonlyMap<string, AccessKey>;
  /** Content of demo.env. */
  readonly environment: DemoEnvironment;
  readonly paths: StatePaths;
  /** Path of the certificate authority of `https`. */
  readonly caPath: string | undefined;
  /** Runs the key rotation. */
  readonly rotateKeys: LocalFunctions['rotateKeys'];
  close(): Promise<void>;
}

function chooseNextTo(port: number, distance: number, wanted: number | undefined): PortChoice {
  if (wanted !== undefined) return { port: wanted };
  const next = port + distance;
  return { port: next > maxPort ? 0 : next, orFree: true };
}

/** The addresses and credentials for other terminals. */
function buildEnvironment(
  run: Omit<LocalRun, 'environment' | 'rotateKeys' | 'close'>,
  { defaultAudience, name, tablesName }: DeploymentConfig,
): DemoEnvironment {
  const { aws, paths, caPath, portalUrl } = run;
  return {
    ISSUER: run.issuer,
    TOKEN_URL: run.tokenUrl,
    JWKS_URI: run.jwksUri,
    CLIENT_ID: run.clientId,
    CLIENT_SECRET: run.clientSecret,
    API_KEY: run.apiKey,
    EXAMPLE_URL: run.exampleUrl,
    ...(portalUrl !== undefined && { PORTAL_URL: portalUrl }),
    AUDIENCE: defaultAudience,
    TABLES: tablesName ?? name,
    AWS_ENDPOINT_URL_DYNAMODB: aws.endpointDynamoDb ?? '',
    AWS_ENDPOINT_URL_KMS: aws.endpointKms ?? '',
    AWS_ENDPOINT_URL_LAMBDA: aws.endpointLambda ?? '',
    AWS_ENDPOINT_URL_STS: aws.endpointSts ?? '',
    AWS_REGION: aws.region,
    // boto3 and version 1 of the AWS CLI read only this one.
    AWS_DEFAULT_REGION: aws.region,
    AWS_ACCESS_KEY_ID: aws.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: aws.credentials.secretAccessKey,
    AUTHCTL_CONFIG: paths.deploymentConfig,
    AUTH_ALLOW_LOOPBACK_PROVIDERS: '1',
    ...(caPath !== undefined && { NODE_EXTRA_CA_CERTS: caPath, CURL_CA_BUNDLE: caPath }),
  };
}

/**
 * A browser that is told `Strict-Transport-Security` by localhost would refuse plain HTTP of every
 * other program there, for two years. Over HTTP it ignores the header (RFC 6797 §8.1).
 */
function withoutTransportSecurity(response: GatewayResponse): GatewayResponse {
  const headers = new Map(response.headers);
  headers.delete('Strict-Transport-Security');
  return { ...response, headers };
}

/** The port is opened first, because the issuer and everything else depend on it. */
async function startFront(options: LocalOptions, paths: StatePaths, cleanUp: CleanUp) {
  const certificate =
    options.https === true ? await loadCertificate(paths.tls, Date.now()) : undefined;
  const { promise, resolve: open } = Promise.withResolvers<Gateway>();
  const gateway: Gateway = async (request) => {
    const response = await (await promise)(request);
    return certificate === undefined ? response : withoutTransportSecurity(response);
  };
  const createServer = () => createGatewayServer(gateway, certificate, options.onRequest);
  const server = cleanUp.use(await listenOnLocalhost(createServer, options.port, 'service'));
  const scheme = certificate === undefined ? 'http' : 'https';
  const issuer = localOrigin(scheme, server.port);
  return { certificate, open, server, issuer };
}

/** Only those that are requested: each takes a part of a test's start time. */
async function startPortals(
  { portal, startLoginPortal }: LocalOptions,
  cleanUp: CleanUp,
  options: LocalPortalOptions,
) {
  const startOwn = portal === true && (await import('./local-portal.ts')).startLocalPortal;
  const own = startOwn ? cleanUp.use(await startOwn(options)) : undefined;
  const login = startLoginPortal && cleanUp.use(await startLoginPortal(options));
  return { portalUrl: own?.url, loginPortalUrl: login?.url };
}

/** The access keys of the run, and the servers that verify them. */
async function startAws(
  program: Program,
  options: Pick<LocalOptions, 'faults' | 'onDecision' | 'onStorage'> &
    Pick<Parameters<typeof startBackends>[0], 'paths' | 'ports'>,
  cleanUp: CleanUp,
) {
  const { createTables, createAccess, deployment } = program;
  const accessKey = createAccessKey();
  const access = await createAccess?.({ accessKey, onDecision: options.onDecision });
  const clientOptions = await startBackends(
    {
      ...options,
      accessKey,
      awsRegion: servedRegion(deployment.config).awsRegion,
      accessControl: access?.control,
      createTables,
    },
    cleanUp,
  );
  return { access, clientOptions };
}

/** Functions invoke each other through the Lambda server, so it starts first. */
async function startFunctions(
  program: Program,
  surroundings: Omit<Surroundings, 'lambdaEndpoint'>,
  port: PortChoice,
  cleanUp: CleanUp,
) {
  const byName = new Map<string, EventHandler>();
  const environments = new Map<string, Readonly<Record<string, string>>>();
  const { clientOptions, access } = surroundings;
  const lambda = cleanUp.use(
    await startLambda({
      functions: byName,
      environments,
      accessKey: clientOptions.credentials,
      accessControl: access?.control,
      port,
    }),
  );
  const lambdaEndpoint = lambda.endpoint;
  const functions = cleanUp.use(program.createFunctions({ ...surroundings, lambdaEndpoint }));
  for (const [name, handler] of functions.eventHandlers) byName.set(name, handler);
  for (const [name, variables] of functions.environments ?? []) environments.set(name, variables);
  return { functions, lambdaEndpoint };
}

/** The service, its functions and its gateway, without records and portals. */
async function startService(
  options: LocalOptions,
  paths: StatePaths,
  log: LogFile,
  cleanUp: CleanUp,
) {
  const { faults } = options;
  const front = await startFront(options, paths, cleanUp);
  const { issuer, certificate } = front;
  const program = (options.program ?? fromSources(options))(issuer);
  const { deployment } = program;
  const { input, config } = deployment;
  writePrivateFile(paths.deploymentConfig, `${JSON.stringify(input, undefined, 2)}\n`);
  const near = (distance: number, wanted?: number) =>
    chooseNextTo(front.server.port, distance, wanted);
  const ports = {
    dynamodb: near(1, options.dynamodbPort),
    kms: near(2, options.kmsPort),
    sts: near(4),
  };
  const { access, clientOptions } = await startAws(program, { ...options, paths, ports }, cleanUp);
  await checkKeptKeys(config, clientOptions);
  const { ca, caPath } = certificate ?? {};
  const clock = options.clock ?? (faults && (() => faults.clock()));
  const isClockMoved = options.clock !== undefined;
  const surroundings = { issuer, clientOptions, access, log, ca, caPath, clock, isClockMoved };
  const started = await startFunctions(program, surroundings, near(3), cleanUp);
  const { functions, lambdaEndpoint } = started;
  const { routes } = functions;
  front.open(createGateway({ routes, onFunctionError: log.writeError, clock: options.clock }));
  await functions.rotateKeys({ action: 'deploy' });
  cleanUp.use(startKeySchedule(functions, log, options));
  const aws = { ...clientOptions, endpointLambda: lambdaEndpoint };
  const operatorKeys: LocalRun['operatorKeys'] = access?.operatorKeys ?? new Map();
  return { ...front, deployment, caPath, aws, operatorKeys, functions, near };
}

async function start(options: LocalOptions, paths: StatePaths, cleanUp: CleanUp) {
  cleanUp.use(await lockState(paths.directory));
  if (options.reset === true) resetState(paths);
  const log = cleanUp.use(openLogFile(paths.log, options.onStorage));
  const service = await startService(options, paths, log, cleanUp);
  const { deployment, issuer, certificate, caPath, aws, operatorKeys, functions } = service;
  const { config } = deployment;
  const { client, apiKey } = await seedDemo(deployment, aws, paths);
  const port = service.near(5, options.portalPort);
  const portal = { config, aws, log, ca: certificate?.ca, port };
  const run = {
    ...client,
    apiKey,
    issuer,
    tokenUrl: issuer + tokenPath,
    jwksUri: issuer + jwksPath,
    exampleUrl: issuer + examplePath,
    ...(await startPortals(options, cleanUp, portal)),
    operatorKeys,
    aws,
    paths,
    caPath,
  };
  // Closed first, so no request uses a closed table.
  cleanUp.use(service.server);
  const environment = buildEnvironment(run, config);
  writePrivateFile(paths.demoEnvironment, formatDemoEnvironment(environment));
  const rotateKeys = functions.rotateKeys.bind(functions);
  return { ...run, environment, rotateKeys, close: () => cleanUp.run() };
}

/**
 * Starts the whole service on loopback: DynamoDB, KMS, the functions and the gateway, with a
 * signing key and a demonstration client.
 *
 * @throws {LocalRunError} if a port is taken or another local run uses the state.
 */
export async function startLocal(options: LocalOptions): Promise<LocalRun> {
  const paths = statePaths(options.stateDirectory);
  const cleanUp = new CleanUp();
  makeStateDirectory(paths);
  try {
    return await start(options, paths, cleanUp);
  } catch (error) {
    // The first error is the one to report.
    await cleanUp.run().catch(() => undefined);
    if (!isNoRoom(error)) throw error;
    throw new LocalRunError(
      `there is no space for the state in ${paths.directory}; free some, or select another folder with --state`,
      { cause: error },
    );
  }
}
