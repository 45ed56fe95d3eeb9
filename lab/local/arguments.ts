import { resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { type AccessTokenType, accessTokenTypes } from '../../contract/access-token-type.ts';
import { lookupFailureChoices, type OnLookupFailure } from '../../contract/revocation-check.ts';
import {
  type Alg,
  algs,
  defaultAlg,
  signingAlgorithms,
} from '../../contract/signing-algorithms.ts';
import { LocalRunError, maxPort } from '../emulator/loopback-server.ts';
import type { Edition } from './edition.ts';

const defaultPort = 8080;

function refuse(name: string, value: string, allowed: string): never {
  throw new LocalRunError(`${name}: received "${value}"; allowed: ${allowed}`);
}

function readAlgorithms(value: string): readonly Alg[] {
  const names = value.split(',');
  const isAlg = (name: string): name is Alg => Object.hasOwn(signingAlgorithms, name);
  if (names.every(isAlg) && new Set(names).size === names.length) return names;
  return refuse(
    '--algorithm',
    value,
    `one or more of ${algs.join(', ')}, each once, separated by commas`,
  );
}

function oneOf<T extends string>(name: string, choices: readonly T[]): (value: string) => T {
  return (value) =>
    choices.find((choice) => choice === value) ?? refuse(name, value, choices.join(' or '));
}

const environmentHelp = `
Environment:
  PORT                           port of the service, default ${defaultPort}; 0 takes a free one
  DYNAMODB_PORT                  port of the DynamoDB server, default PORT + 1
  KMS_PORT                       port of the KMS server, default PORT + 2
  PORTAL_PORT                    port of the web portal, PORT + 5 if not set

demo.env in the state folder holds what other terminals need: set -a; . .local/demo.env; set +a
Read it again after a restart: each run makes its own access key for DynamoDB, KMS and Lambda.`;

const path = (value: string) => resolve(value);

/** The option that needs what only a clone installs. */
function addCloneOptions(command: Command): Command {
  return command.option(
    '--portal-login',
    'also run the portal as customers see it, with an OpenID provider on loopback and two customers: docs/portal.md',
  );
}

/** How clients may get tokens. */
function addClientOptions(command: Command): Command {
  return command
    .option(
      '--authorization-endpoint',
      'name an authorization endpoint, which refuses every request, for clients such as those of MCP: docs/configuration.md',
    )
    .option(
      '--federated-clients',
      'issue tokens to clients of registered providers, for an assertion instead of a secret: docs/keyless.md',
    )
    .option(
      '--dpop',
      'bind tokens to the key of a client that proves it, and check proofs at the example API: docs/getting-started.md',
    );
}

function createCommand({ withFlags, extras }: Edition): Command {
  const ofService = new Command(withFlags)
    .description('Runs the whole authorization server on this machine, only on loopback.')
    .helpOption(false)
    .option('--https', 'serve TLS, with a certificate that is made on first use and kept')
    .option(
      '--reset',
      'start from nothing: delete keys, tables, the demonstration client and certificates',
    )
    .option(
      '--algorithm <algs>',
      `the algorithms of tokens, separated by commas, ${defaultAlg} by default: ${algs.join(', ')}; new keys have the first one, and keys that exist move to it by rotation, so add --reset to see it at once; one that a key still uses must stay in the list`,
      readAlgorithms,
    )
    .option(
      '--access-token-type <type>',
      'typ of access tokens: at+jwt by default, or JWT',
      oneOf('--access-token-type', accessTokenTypes),
    );
  const command = addClientOptions(ofService)
    .option(
      '--check-revocation <choice>',
      'the example API looks up the client of each token, so a revoked one stops at once; while DynamoDB does not answer, it refuses or accepts: refuse, accept',
      oneOf('--check-revocation', lookupFailureChoices),
    )
    .option(
      '--rotation-demo',
      'signing keys that live for four minutes, tokens for 20 seconds; watch them with npx --no -- authctl --local signing-key list --watch',
    )
    .option(
      '--fair-share',
      'limit what one client may take, by the config: the only instance reaches it sooner than a deployment',
    )
    .option('--state <dir>', 'keep the state in another folder than .local', path)
    .option('--config <file>', 'the deployment config that runs; an example by default', path)
    .option(
      '--faults <file>',
      'make DynamoDB, KMS and the clock fail as the file says: docs/faults.md',
      path,
    )
    .exitOverride()
    .configureOutput({ outputError: () => undefined, getOutHelpWidth: () => 100 });
  if (extras !== undefined) addCloneOptions(command);
  return command.option('-h, --help', 'show this text');
}

/** The text of `--help`. */
export function describeUsage(edition: Edition): string {
  return `${createCommand(edition).helpInformation()}${environmentHelp}\n`;
}

/** Only what was given. */
interface Flags {
  readonly help?: true;
  readonly https?: true;
  readonly reset?: true;
  readonly rotationDemo?: true;
  readonly portalLogin?: true;
  readonly algorithm?: readonly Alg[];
  readonly accessTokenType?: AccessTokenType;
  readonly authorizationEndpoint?: true;
  readonly federatedClients?: true;
  readonly dpop?: true;
  readonly checkRevocation?: OnLookupFailure;
  readonly fairShare?: true;
  readonly state?: string;
  readonly faults?: string;
  readonly config?: string;
}

function readFlags(argv: readonly string[], edition: Edition): Flags {
  const command = createCommand(edition);
  try {
    return command.parse(argv, { from: 'user' }).opts();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const names = command.options.map(({ flags }) => flags.replace('-h, ', ''));
    const reason = error.message.replace('error: ', '');
    throw new LocalRunError(`${reason}\nallowed: ${names.join(', ')}`, { cause: error });
  }
}

function readPort(value: string | undefined, name: string): number | undefined {
  if (value === undefined || value === '') return undefined;
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  return port <= maxPort ? port : refuse(name, value, `a whole number from 0 to ${maxPort}`);
}

/**
 * Reads flags and environment of a local run.
 *
 * @throws {LocalRunError} if a flag is unknown or a port is invalid.
 */
export function parseArguments(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  edition: Edition,
) {
  const flags = readFlags(argv, edition);
  const port = (name: string) => readPort(environment[name], name);
  return {
    help: flags.help ?? false,
    https: flags.https ?? false,
    reset: flags.reset ?? false,
    rotationDemo: flags.rotationDemo ?? false,
    portalLogin: flags.portalLogin ?? false,
    stateDirectory: flags.state ?? resolve(edition.directory, '.local'),
    port: port('PORT') ?? defaultPort,
    signingAlgorithms: flags.algorithm,
    fairShare: flags.fairShare,
    accessTokenType: flags.accessTokenType,
    authorizationEndpoint: flags.authorizationEndpoint,
    ...(flags.federatedClients === true && { federatedClients: {} }),
    dpop: flags.dpop,
    checkRevocation: flags.checkRevocation,
    dynamodbPort: port('DYNAMODB_PORT'),
    kmsPort: port('KMS_PORT'),
    portalPort: port('PORTAL_PORT'),
    config: flags.config,
    faultScript: flags.faults,
  };
}
