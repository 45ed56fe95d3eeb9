import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type AccessTokenType,
  accessTokenTypes,
  isAccessTokenType,
} from '../../contract/access-token-type.ts';
import { reuseShares } from '../../contract/limits.ts';
import {
  isLookupFailureChoice,
  lookupFailureChoices,
  type OnLookupFailure,
} from '../../contract/revocation-check.ts';
import { type Alg, algs, isAlg } from '../../contract/signing-algorithms.ts';
import { LocalRunError } from '../emulator/loopback-server.ts';
import type { FromSynth } from './from-synth/synthesised-deployment.ts';

/** The options of the local run. */
export interface LocalArguments {
  readonly help: boolean;
  readonly https: boolean;
  readonly reset: boolean;
  /** Whether keys have a short lifetime, so their whole life cycle can be watched. */
  readonly rotationDemo: boolean;
  readonly stateDirectory: string;
  /** The first signs new tokens. The default is that of a deployment. */
  readonly signingAlgorithms?: readonly Alg[];
  /** 0 selects a free one. */
  readonly port: number;
  /** The default is next to `port`, or a free one if that is taken. */
  readonly dynamodbPort?: number;
  readonly kmsPort?: number;
  readonly portalPort?: number;
  /** Of the example API. Left out: it does not look up the clients of own tokens. */
  readonly checkRevocation?: OnLookupFailure;
  /** Left out: each token is new. */
  readonly tokenReuse?: { readonly minimumRemainingShare: number; readonly shared: true };
  /** Path of a fault script. */
  readonly faultScript?: string;
  /** Runs the output of `cdk synth`. */
  readonly fromSynth?: FromSynth;
}

const defaultPort = 8080;
const maxPort = 65_535;
const packageDirectory = resolve(import.meta.dirname, '../..');

function readPort(name: string, value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined;
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (port <= maxPort) return port;
  throw new LocalRunError(
    `${name}: received "${value}"; allowed: a whole number from 0 to ${maxPort}`,
  );
}

function readAlgorithms(value: string | undefined): readonly Alg[] | undefined {
  if (value === undefined) return undefined;
  const names = value.split(',');
  if (names.every(isAlg) && new Set(names).size === names.length) return names;
  throw new LocalRunError(
    `--algorithm: received "${value}"; allowed: one or more of ${algs.join(', ')}, each once, separated by commas`,
  );
}

function readTokenReuse(value: string | undefined): LocalArguments['tokenReuse'] {
  if (value === undefined) return undefined;
  const minimumRemainingShare = /^0\.\d+$/.test(value) ? Number(value) : Number.NaN;
  const { least, most } = reuseShares;
  if (minimumRemainingShare >= least && minimumRemainingShare <= most) {
    return { minimumRemainingShare, shared: true };
  }
  throw new LocalRunError(
    `--token-reuse: received "${value}"; allowed: a share of a token's life from ${least} to ${most}`,
  );
}

function readFlags(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        https: { type: 'boolean', default: false },
        reset: { type: 'boolean', default: false },
        'rotation-demo': { type: 'boolean', default: false },
        algorithm: { type: 'string' },
        'token-reuse': { type: 'string' },
        'access-token-type': { type: 'string' },
        'check-revocation': { type: 'string' },
        faults: { type: 'string' },
        'from-synth': { type: 'boolean', default: false },
        config: { type: 'string' },
        'permissions-boundary': { type: 'string' },
        state: { type: 'string', default: resolve(packageDirectory, '.local') },
      },
    }).values;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LocalRunError(
      `${reason}\nallowed: --https, --reset, --algorithm <algs>, --access-token-type <type>, --check-revocation <choice>, --rotation-demo, --token-reuse <share>, --state <dir>, --faults <file>, --from-synth, --config <file>, --permissions-boundary <file>, --help`,
      {
        cause: error,
      },
    );
  }
}

type Flags = ReturnType<typeof readFlags>;

function readAccessTokenType(value: string | undefined): AccessTokenType | undefined {
  if (value === undefined || isAccessTokenType(value)) return value;
  throw new LocalRunError(
    `--access-token-type: received "${value}"; allowed: ${accessTokenTypes.join(' or ')}`,
  );
}

function readCheckRevocation(value: string | undefined): OnLookupFailure | undefined {
  if (value === undefined || isLookupFailureChoice(value)) return value;
  throw new LocalRunError(
    `--check-revocation: received "${value}"; allowed: ${lookupFailureChoices.join(' or ')}`,
  );
}

/** The config that `cdk synth` takes if nothing else is said. */
function synthesisedConfig(): string {
  const path = join(packageDirectory, 'cdk.json');
  const { context } = JSON.parse(readFileSync(path, 'utf8')) as { context: { config: string } };
  return context.config;
}

/** Flags that need `--from-synth`. */
const onlyWithSynth = ['config', 'permissions-boundary'] as const;

/** The templates have decided what these flags would choose. */
const decidedBySynth = [
  'algorithm',
  'access-token-type',
  'check-revocation',
  'rotation-demo',
  'token-reuse',
  'faults',
] as const;

function readFromSynth(flags: Flags): FromSynth | undefined {
  if (!flags['from-synth']) {
    const only = onlyWithSynth.find((name) => flags[name] !== undefined);
    if (only === undefined) return undefined;
    throw new LocalRunError(`--${only}: allowed only with --from-synth`);
  }
  const other = decidedBySynth.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (other !== undefined) throw new LocalRunError(`--${other}: not allowed with --from-synth`);
  return {
    directory: join(packageDirectory, 'cdk.out'),
    config:
      flags.config === undefined
        ? resolve(packageDirectory, synthesisedConfig())
        : resolve(flags.config),
    ...(flags['permissions-boundary'] !== undefined && {
      permissionsBoundary: resolve(flags['permissions-boundary']),
    }),
  };
}

/**
 * Reads flags and environment of `npm start`.
 *
 * @throws {LocalRunError} if a flag is unknown or a port is invalid.
 */
export function parseArguments(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): LocalArguments {
  const flags = readFlags(argv);
  const signingAlgorithms = readAlgorithms(flags.algorithm);
  const tokenReuse = readTokenReuse(flags['token-reuse']);
  const accessTokenType = readAccessTokenType(flags['access-token-type']);
  const checkRevocation = readCheckRevocation(flags['check-revocation']);
  const dynamodbPort = readPort('DYNAMODB_PORT', environment['DYNAMODB_PORT']);
  const kmsPort = readPort('KMS_PORT', environment['KMS_PORT']);
  const portalPort = readPort('PORTAL_PORT', environment['PORTAL_PORT']);
  const fromSynth = readFromSynth(flags);
  return {
    help: flags.help,
    https: flags.https,
    reset: flags.reset,
    rotationDemo: flags['rotation-demo'],
    stateDirectory: resolve(flags.state),
    port: readPort('PORT', environment['PORT']) ?? defaultPort,
    ...(signingAlgorithms !== undefined && { signingAlgorithms }),
    ...(tokenReuse !== undefined && { tokenReuse }),
    ...(accessTokenType !== undefined && { accessTokenType }),
    ...(checkRevocation !== undefined && { checkRevocation }),
    ...(dynamodbPort !== undefined && { dynamodbPort }),
    ...(kmsPort !== undefined && { kmsPort }),
    ...(portalPort !== undefined && { portalPort }),
    ...(fromSynth !== undefined && { fromSynth }),
    ...(flags.faults !== undefined && { faultScript: resolve(flags.faults) }),
  };
}
