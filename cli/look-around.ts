import { connect, createServer } from 'node:net';
import { readDeploymentFacts } from '../adapters/deployment-facts.ts';
import { createLambdaClient } from '../adapters/lambda/lambda-client.ts';
import { oldestNode } from '../adapters/package-version.ts';
import { createCallService } from '../adapters/signed-call.ts';
import { type Check, examine, type Facts, type PortFact } from '../core/deployment/doctor.ts';
import type { Cli } from './cli.ts';
import { findLocalEnvironment } from './deployment.ts';

/** Of the local run: the service, then tables, keys, functions, callers. */
const usualPorts = [8080, 8081, 8082, 8083, 8084];

const connectTimeout = 2000;

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: connectTimeout });
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Ports of loopback that the environment of a local run names. */
function namedPorts(environment: Readonly<Record<string, string | undefined>>): readonly number[] {
  const urls = Object.entries(environment)
    .filter(([name]) => name === 'TOKEN_URL' || name.startsWith('AWS_ENDPOINT_URL_'))
    .flatMap(([, url]) => (url !== undefined && URL.canParse(url) ? [new URL(url)] : []));
  const ports = urls.map(({ port, protocol }) =>
    Number(port || (protocol === 'https:' ? 443 : 80)),
  );
  return [...new Set(ports)].toSorted((a, b) => a - b);
}

async function seeLocal(cwd: string): Promise<NonNullable<Facts['local']>> {
  const environment = findLocalEnvironment(cwd);
  if (environment === undefined) {
    const look = async (port: number): Promise<PortFact> => ({
      port,
      state: (await isFree(port)) ? 'free' : 'taken',
    });
    return { isThere: false, ports: await Promise.all(usualPorts.map(look)) };
  }
  const look = async (port: number): Promise<PortFact> => ({
    port,
    state: (await answers(port)) ? 'answers' : 'silent',
  });
  return { isThere: true, ports: await Promise.all(namedPorts(environment).map(look)) };
}

function seeDeployment(cli: Cli): ReturnType<typeof readDeploymentFacts> {
  const { config, aws, environment, ca } = cli.deployment();
  // The client finds the credentials as in every other command, and is not used for a call.
  const lambda = createLambdaClient({ ...aws, region: aws.region ?? 'us-east-1' });
  return readDeploymentFacts({
    config,
    callService: createCallService(lambda.config.credentials, environment),
    hasQuotas: cli.options.local !== true,
    ca,
    clock: Date.now,
  });
}

/** Every check of this machine and, if there is one, of the deployment that the options name. */
export async function lookAround(cli: Cli): Promise<readonly Check[]> {
  const node = { running: process.versions.node, oldest: oldestNode() };
  if (cli.options.local !== true) {
    return examine({ node, deployment: await seeDeployment(cli) });
  }
  const local = await seeLocal(cli.io.cwd);
  if (!local.isThere) return examine({ node, local });
  return examine({ node, local, deployment: await seeDeployment(cli) });
}
