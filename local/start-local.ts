import { jwksPath, tokenPath } from '../contract/routes.ts';
import type { Alg } from '../contract/signing-algorithms.ts';
import { type Backends, startBackends } from './backends.ts';
import { type LocalCertificate, loadCertificate } from './certificate.ts';
import { CleanUp } from './clean-up.ts';
import { type DemoClient, loadDemoClient } from './demo-client.ts';
import { type DemoEnvironment, formatDemoEnvironment } from './demo-environment.ts';
import { createFunctions } from './functions.ts';
import { createGateway, type Gateway } from './gateway/gateway.ts';
import { createGatewayServer, type RequestNote } from './gateway/gateway-server.ts';
import {
  buildLocalDeployment,
  type LocalDeployment,
  localCredentials,
  localRegion,
} from './local-deployment.ts';
import { listenOnLocalhost } from './localhost.ts';
import { openLogFile } from './log-file.ts';
import type { PortChoice } from './loopback-server.ts';
import { writePrivateFile } from './private-file.ts';
import { makeStateDirectory, resetState, type StatePaths, statePaths } from './state.ts';
import { lockState } from './state-lock.ts';

export interface LocalOptions {
  readonly stateDirectory: string;
  /** Of the service; 0 takes a free one. */
  readonly port: number;
  /** Left out: next to `port`, or a free one where that is taken. */
  readonly dynamodbPort?: number;
  readonly kmsPort?: number;
  readonly https?: boolean;
  /** Starts from nothing. */
  readonly reset?: boolean;
  /** Of the first signing key; RS256 where left out. */
  readonly signingAlgorithms?: readonly Alg[];
  readonly onRequest?: (note: RequestNote) => void;
}

/** The whole service, running on loopback. */
export interface LocalRun {
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly jwksUri: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Content of demo.env. */
  readonly environment: DemoEnvironment;
  readonly paths: StatePaths;
  /** Path of the certificate authority of `https`. */
  readonly caPath: string | undefined;
  close(): Promise<void>;
}

/** A gateway that answers once there is one: the port, and so the issuer, is known before. */
function deferGateway(): { readonly gateway: Gateway; readonly open: (gateway: Gateway) => void } {
  const ready = Promise.withResolvers<Gateway>();
  return {
    gateway: async (request) => (await ready.promise)(request),
    open: ready.resolve,
  };
}

function chooseNextTo(port: number, distance: number, wanted: number | undefined): PortChoice {
  if (wanted !== undefined) return { port: wanted };
  return { port: port + distance, orFree: true };
}

function buildEnvironment(
  issuer: string,
  client: DemoClient,
  backends: Backends,
  paths: StatePaths,
  certificate: LocalCertificate | undefined,
): DemoEnvironment {
  return {
    ISSUER: issuer,
    TOKEN_URL: issuer + tokenPath,
    JWKS_URI: issuer + jwksPath,
    CLIENT_ID: client.clientId,
    CLIENT_SECRET: client.clientSecret,
    AWS_ENDPOINT_URL_DYNAMODB: backends.dynamodbEndpoint,
    AWS_ENDPOINT_URL_KMS: backends.kmsEndpoint,
    AWS_REGION: localRegion.awsRegion,
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    AUTHCTL_CONFIG: paths.deploymentConfig,
    ...(certificate !== undefined && {
      NODE_EXTRA_CA_CERTS: certificate.caPath,
      CURL_CA_BUNDLE: certificate.caPath,
    }),
  };
}

function writeState(paths: StatePaths, deployment: LocalDeployment, environment: DemoEnvironment) {
  const config = `${JSON.stringify(deployment.input, undefined, 2)}\n`;
  writePrivateFile(paths.deploymentConfig, config);
  writePrivateFile(paths.demoEnvironment, formatDemoEnvironment(environment));
}

async function start(options: LocalOptions, paths: StatePaths, cleanUp: CleanUp) {
  cleanUp.use(await lockState(paths.directory));
  if (options.reset === true) resetState(paths);
  const certificate =
    options.https === true ? await loadCertificate(paths.tls, Date.now()) : undefined;
  const { gateway, open } = deferGateway();
  const server = cleanUp.use(
    await listenOnLocalhost(
      () => createGatewayServer(gateway, certificate, options.onRequest),
      options.port,
      'service',
    ),
  );
  const issuer = `${certificate === undefined ? 'http' : 'https'}://localhost:${server.port}`;
  const deployment = buildLocalDeployment(issuer, options.signingAlgorithms);
  const ports = {
    dynamodb: chooseNextTo(server.port, 1, options.dynamodbPort),
    kms: chooseNextTo(server.port, 2, options.kmsPort),
  };
  const backends = await startBackends(paths, ports, deployment.config.name, cleanUp);
  const log = cleanUp.use(openLogFile(paths.log));
  const functions = cleanUp.use(createFunctions(deployment.config, issuer, backends, log));
  await functions.deploySigningKey();
  const client = await loadDemoClient(
    paths.demoClient,
    functions.clients,
    Math.floor(Date.now() / 1000),
  );
  const environment = buildEnvironment(issuer, client, backends, paths, certificate);
  writeState(paths, deployment, environment);
  // Closed first of all, so that no request meets a closed table.
  cleanUp.use(server);
  const onFunctionError = (service: string, error: unknown): void => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log.write({ timestamp: new Date().toISOString(), level: 'ERROR', service, message });
  };
  open(createGateway({ routes: functions.routes, onFunctionError }));
  return { issuer, client, environment, certificate };
}

/**
 * Starts the whole service on loopback: DynamoDB, KMS, the functions and the gateway before them,
 * with a signing key and a demonstration client.
 *
 * @throws {LocalRunError} where a port is taken or another local run uses the state.
 */
export async function startLocal(options: LocalOptions): Promise<LocalRun> {
  const paths = statePaths(options.stateDirectory);
  const cleanUp = new CleanUp();
  makeStateDirectory(paths);
  try {
    const { issuer, client, environment, certificate } = await start(options, paths, cleanUp);
    return {
      ...client,
      issuer,
      tokenUrl: issuer + tokenPath,
      jwksUri: issuer + jwksPath,
      environment,
      paths,
      caPath: certificate?.caPath,
      close: () => cleanUp.run(),
    };
  } catch (error) {
    await cleanUp.run();
    throw error;
  }
}
