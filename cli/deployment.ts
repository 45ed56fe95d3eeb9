import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { AwsClientOptions } from '../adapters/aws-client-options.ts';
import { callProfiles } from '../adapters/call-profile.ts';
import { parseDemoEnvironment } from '../contract/demo-environment.ts';
import {
  type DeploymentConfig,
  DeploymentConfigError,
  parseDeploymentConfig,
} from '../contract/deployment-config.ts';
import { parseJsonFile } from '../contract/json-object.ts';
import { quoteWord } from '../contract/shell-word.ts';
import { isLoopbackAddress, parseIpAddress } from '../core/network/ip-address.ts';
import type { CliIo } from './cli-io.ts';
import { readGivenFile, refuseUsage, UsageError } from './usage-error.ts';

const demoEnvironment = join('.local', 'demo.env');

/** A folder and its parents up to the root. */
function ancestors(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment that `npm start` wrote, in a folder or above it.
 *
 * @throws {UsageError} if there is none.
 */
function readLocalEnvironment(cwd: string): Environment {
  const paths = ancestors(cwd).map((folder) => join(folder, demoEnvironment));
  const path = paths.find(existsSync);
  if (path !== undefined) return parseDemoEnvironment(readFileSync(path, 'utf8'));
  throw new UsageError(
    `--local: found no ${demoEnvironment} in ${cwd} or above it; start the local run there with npm start`,
  );
}

export interface DeploymentOptions {
  readonly config?: string | undefined;
  readonly local?: boolean | undefined;
  readonly through?: string | undefined;
}

/** Where the operations of management run: in this process, or in the management function. */
const places = ['tables', 'function'] as const;

function readPlace(text = 'function'): (typeof places)[number] {
  const place = places.find((one) => one === text);
  if (place !== undefined) return place;
  return refuseUsage('--through', text, places.join(', '));
}

/** The deployment that commands work on. */
export type Deployment = Readonly<ReturnType<typeof getDeployment>>;

function isLoopbackUrl(url: string | undefined): boolean {
  if (url === undefined || !URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  const address = parseIpAddress(host);
  return host === 'localhost' || (address !== undefined && isLoopbackAddress(address));
}

function readConfig(path: string, allowLoopbackIssuer: boolean): DeploymentConfig {
  const config = `the deployment config ${path}`;
  const bytes = readGivenFile(path, (code) => `${config} cannot be read: ${code}`);
  try {
    return parseDeploymentConfig(parseJsonFile(bytes), { allowLoopbackIssuer });
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new UsageError(`${config} is not JSON`, { cause });
    if (!(cause instanceof DeploymentConfigError)) throw cause;
    throw new UsageError(`${path}: ${cause.message}`, { cause });
  }
}

/** Explicit for the local run; in every other case the SDK's own rules apply. */
function awsOptions(env: Environment, isLocal: boolean): AwsClientOptions {
  const { background, request } = callProfiles;
  if (!isLocal) {
    // The AWS CLI reads AWS_DEFAULT_REGION, the SDK does not.
    return { profile: 'background', region: env.AWS_REGION || env.AWS_DEFAULT_REGION || undefined };
  }
  return {
    // A busy disk may take seconds for a change. A run that has ended is reported without waiting.
    profile: { ...background, maxAttempts: request.maxAttempts, retryDelay: request.retryDelay },
    region: env.AWS_REGION,
    endpointDynamoDb: env.AWS_ENDPOINT_URL_DYNAMODB,
    endpointKms: env.AWS_ENDPOINT_URL_KMS,
    endpointLambda: env.AWS_ENDPOINT_URL_LAMBDA,
    endpointSts: env.AWS_ENDPOINT_URL_STS,
    credentials: {
      accessKeyId: env.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? '',
    },
  };
}

/**
 * Finds the deployment: `--local` selects the local run, otherwise `--config` or AUTHCTL_CONFIG
 * names the config.
 *
 * @throws {UsageError} if there is none, or it cannot be used.
 */
export function getDeployment(io: CliIo, options: DeploymentOptions) {
  const isLocal = options.local === true;
  const env = isLocal ? readLocalEnvironment(io.cwd) : io.env;
  const path = options.config ?? (env.AUTHCTL_CONFIG || undefined);
  if (path === undefined) {
    throw new UsageError(
      'no deployment is named: use --config FILE or AUTHCTL_CONFIG for the deployment config, or --local for the local run',
    );
  }
  const endpoint = env.AWS_ENDPOINT_URL_DYNAMODB ?? env.AWS_ENDPOINT_URL;
  const isLoopback = isLoopbackUrl(endpoint);
  const caPath = isLoopback ? env.NODE_EXTRA_CA_CERTS : undefined;
  return {
    config: readConfig(resolve(io.cwd, path), isLoopback),
    aws: { ...awsOptions(env, isLocal), ...(!isLoopback && { proxy: env }) } as AwsClientOptions,
    through: readPlace(options.through ?? (io.env.AUTHCTL_THROUGH || undefined)),
    environment: env,
    /** Whether its tables are on this machine, without an STS. */
    isLoopback: isLoopback && (env.AWS_ENDPOINT_URL_STS ?? env.AWS_ENDPOINT_URL) === undefined,
    allowLoopbackProviders: isLoopback && env.AUTH_ALLOW_LOOPBACK_PROVIDERS === '1',
    /** Certificate authority of providers on loopback, PEM. */
    ca: caPath === undefined || caPath === '' ? undefined : readFileSync(caPath, 'utf8'),
  };
}

/** The command that the person ran, in the form that never downloads a package of the same name. */
export function ownCommand({ env }: Pick<CliIo, 'env'>): string {
  return env['npm_command'] === 'exec' ? 'npx --no -- authctl' : 'authctl';
}

/** The same with the options that select the deployment: what follows is for that one. */
export function commandFor(
  io: Pick<CliIo, 'env'>,
  { local, config, through }: DeploymentOptions,
): string {
  return [
    ownCommand(io),
    ...(local === true ? ['--local'] : []),
    ...(config === undefined ? [] : ['--config', quoteWord(config)]),
    ...(through === undefined ? [] : ['--through', quoteWord(through)]),
  ].join(' ');
}
