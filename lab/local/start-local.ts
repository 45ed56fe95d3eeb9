import { type DemoEnvironment, formatDemoEnvironment } from '../../contract/demo-environment.ts';
import type { RotationReport } from '../../contract/function-events.ts';
import { jwksPath, tokenPath } from '../../contract/routes.ts';
import { type AccessKey, createAccessKey } from '../emulator/aws-server/access-key.ts';
import type { Faults } from '../emulator/faults/faults.ts';
import { createGateway } from '../emulator/gateway/gateway.ts';
import { createGatewayServer, type RequestNote } from '../emulator/gateway/gateway-server.ts';
import { type EventHandler, startLambda } from '../emulator/lambda-server.ts';
import { localRegion } from '../emulator/local-region.ts';
import { LocalRunError, maxPort, type PortChoice } from '../emulator/loopback-server.ts';
import { writePrivateFile } from '../emulator/private-file.ts';
import { isNoRoom, type OnStorage } from '../emulator/storage.ts';
import { type Backends, startBackends } from './backends.ts';
import { type LocalCertificate, loadCertificate } from './certificate.ts';
import { checkAlgorithms } from './check-algorithms.ts';
import { CleanUp } from './clean-up.ts';
import { deferGateway } from './deferred-gateway.ts';
import { type DemoClient, seedDemo } from './demo-credentials.ts';
import { examplePath } from './example-api.ts';
import type { AccessOptions } from './from-synth/access.ts';
import { startKeySchedule } from './key-schedule.ts';
import type { LocalAwsOptions } from './local-aws-options.ts';
import type { LocalDeploymentOptions } from './local-deployment.ts';
import type { LocalPortalOptions } from './local-portal.ts';
import { listenOnLocalhost, localOrigin } from './localhost.ts';
import { openLogFile } from './log-file.ts';
import type { StartLoginPortal } from './portal-login/start.ts';
import { type CreateProgram, fromSources, type Program } from './program.ts';
import { makeStateDirectory, resetState, type StatePaths, statePaths } from './state.ts';
import { lockState } from './state-lock.ts';
import type { Surroundings } from './surroundings.ts';

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
  /** An API behind the authorizer: GET needs `messaging:view`, POST `messaging:manage`. */
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
  close(): Promise<void>;
}

function chooseNextTo(port: number, distance: number, wanted: number | undefined): PortChoice {
  if (wanted !== undefined) return { port: wanted };
  const next = port + distance;
  return { port: next > maxPort ? 0 : next, orFree: true };
}

/** The addresses and credentials for other terminals. */
interface Running {
  readonly issuer: string;
  readonly client: DemoClient;
  readonly apiKey: string;
  readonly audience: string;
  readonly backends: Backends;
  readonly lambdaEndpoint: string;
  readonly certificate: LocalCertificate | undefined;
  readonly portalUrl: string | undefined;
  readonly loginPortalUrl: string | undefined;
  readonly operatorKeys: LocalRun['operatorKeys'];
}

function buildEnvironment(running: Running, paths: StatePaths): DemoEnvironment {
  const { issuer, client, backends, certificate } = running;
  return {
    ISSUER: issuer,
    TOKEN_URL: issuer + tokenPath,
    JWKS_URI: issuer + jwksPath,
    CLIENT_ID: client.clientId,
    CLIENT_SECRET: client.clientSecret,
    API_KEY: running.apiKey,
    EXAMPLE_URL: issuer + examplePath,
    ...(running.portalUrl !== undefined && { PORTAL_URL: running.portalUrl }),
    AUDIENCE: running.audience,
    AWS_ENDPOINT_URL_DYNAMODB: backends.dynamodbEndpoint,
    AWS_ENDPOINT_URL_KMS: backends.kmsEndpoint,
    AWS_ENDPOINT_URL_LAMBDA: running.lambdaEndpoint,
    AWS_ENDPOINT_URL_STS: backends.stsEndpoint,
    AWS_REGION: localRegion.awsRegion,
    // boto3 and version 1 of the AWS CLI read only this one.
    AWS_DEFAULT_REGION: localRegion.awsRegion,
    AWS_ACCESS_KEY_ID: backends.clientOptions.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: backends.clientOptions.credentials.secretAccessKey,
    AUTHCTL_CONFIG: paths.deploymentConfig,
    AUTH_ALLOW_LOOPBACK_PROVIDERS: '1',
    ...(certificate !== undefined && {
      NODE_EXTRA_CA_CERTS: certificate.caPath,
      CURL_CA_BUNDLE: certificate.caPath,
    }),
  };
}

/** The port is opened first, because the issuer and everything else depend on it. */
async function startFront(options: LocalOptions, paths: StatePaths, cleanUp: CleanUp) {
  const certificate =
    options.https === true ? await loadCertificate(paths.tls, Date.now()) : undefined;
  const { gateway, open } = deferGateway();
  const createServer = () => createGatewayServer(gateway, certificate, options.onRequest);
  const server = cleanUp.use(await listenOnLocalhost(createServer, options.port, 'service'));
  const scheme = certificate === undefined ? 'http' : 'https';
  const issuer = localOrigin(scheme, server.port);
  return { certificate, open, server, issuer };
}

/** Only if requested, because it takes a part of a test's start time. */
async function startPortal(
  { portal = false }: LocalOptions,
  cleanUp: CleanUp,
  options: LocalPortalOptions,
): Promise<string | undefined> {
  if (!portal) return undefined;
  const { startLocalPortal } = await import('./local-portal.ts');
  return cleanUp.use(await startLocalPortal(options)).url;
}

/** The portal with a login, and its provider. */
async function startCustomersPortal(
  { startLoginPortal }: LocalOptions,
  cleanUp: CleanUp,
  options: LocalPortalOptions,
): Promise<string | undefined> {
  if (startLoginPortal === undefined) return undefined;
  return cleanUp.use(await startLoginPortal(options)).url;
}

/** The access keys of the run, and the servers that verify them. */
async function startAws(
  program: Program,
  options: Pick<LocalOptions, 'faults' | 'onDecision' | 'onStorage'> &
    Pick<Parameters<typeof startBackends>[0], 'paths' | 'ports'>,
  cleanUp: CleanUp,
) {
  const { createTables, createAccess } = program;
  const accessKey = createAccessKey();
  const access = await createAccess?.({ accessKey, onDecision: options.onDecision });
  const backends = await startBackends(
    { ...options, accessKey, accessControl: access?.control, createTables },
    cleanUp,
  );
  return { access, backends };
}

/** Functions invoke each other through the Lambda server, so it starts first. */
async function startFunctions(
  program: Program,
  surroundings: Omit<Surroundings, 'lambdaEndpoint'>,
  port: PortChoice,
  cleanUp: CleanUp,
) {
  const byName = new Map<string, EventHandler>();
  const { clientOptions, access } = surroundings;
  const lambda = cleanUp.use(
    await startLambda({
      functions: byName,
      accessKey: clientOptions.credentials,
      accessControl: access?.control,
      port,
    }),
  );
  const lambdaEndpoint = lambda.endpoint;
  const functions = cleanUp.use(program.createFunctions({ ...surroundings, lambdaEndpoint }));
  for (const [name, handler] of functions.eventHandlers) byName.set(name, handler);
  return { functions, lambdaEndpoint };
}

async function start(options: LocalOptions, paths: StatePaths, cleanUp: CleanUp): Promise<Running> {
  cleanUp.use(await lockState(paths.directory));
  if (options.reset === true) resetState(paths);
  const log = cleanUp.use(openLogFile(paths.log, options.onStorage));
  const { faults } = options;
  const front = await startFront(options, paths, cleanUp);
  const { issuer, certificate } = front;
  const program = (options.program ?? fromSources(options))(issuer);
  const { input, config } = program.deployment;
  writePrivateFile(paths.deploymentConfig, `${JSON.stringify(input, undefined, 2)}\n`);
  const near = (distance: number, wanted?: number) =>
    chooseNextTo(front.server.port, distance, wanted);
  const ports = {
    dynamodb: near(1, options.dynamodbPort),
    kms: near(2, options.kmsPort),
    sts: near(4),
  };
  const { access, backends } = await startAws(program, { ...options, paths, ports }, cleanUp);
  const { clientOptions } = backends;
  await checkAlgorithms(config, clientOptions);
  const surroundings = {
    issuer,
    clientOptions,
    access,
    log,
    ca: certificate?.ca,
    caPath: certificate?.caPath,
    clock: faults === undefined ? undefined : () => faults.clock(),
  };
  const { functions, lambdaEndpoint } = await startFunctions(
    program,
    surroundings,
    near(3),
    cleanUp,
  );
  front.open(createGateway({ routes: functions.routes, onFunctionError: log.writeError }));
  await functions.rotateKeys({ action: 'deploy' });
  cleanUp.use(startKeySchedule(functions, log, options));
  const demo = await seedDemo(config.name, clientOptions, paths);
  const portalPort = near(5, options.portalPort);
  const portal = { config, aws: clientOptions, log, ca: certificate?.ca, port: portalPort };
  const portalUrl = await startPortal(options, cleanUp, portal);
  const loginPortalUrl = await startCustomersPortal(options, cleanUp, portal);
  // Closed first, so no request uses a closed table.
  cleanUp.use(front.server);
  return {
    issuer,
    ...demo,
    audience: config.defaultAudience,
    backends,
    lambdaEndpoint,
    certificate,
    portalUrl,
    loginPortalUrl,
    operatorKeys: access?.operatorKeys ?? new Map(),
  };
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
    const running = await start(options, paths, cleanUp);
    const { issuer, client, apiKey, certificate } = running;
    const environment = buildEnvironment(running, paths);
    writePrivateFile(paths.demoEnvironment, formatDemoEnvironment(environment));
    return {
      ...client,
      apiKey,
      issuer,
      exampleUrl: issuer + examplePath,
      tokenUrl: issuer + tokenPath,
      jwksUri: issuer + jwksPath,
      portalUrl: running.portalUrl,
      loginPortalUrl: running.loginPortalUrl,
      operatorKeys: running.operatorKeys,
      aws: { ...running.backends.clientOptions, endpointLambda: running.lambdaEndpoint },
      environment,
      paths,
      caPath: certificate?.caPath,
      close: () => cleanUp.run(),
    };
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
