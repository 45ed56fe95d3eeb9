import { CommanderError } from 'commander';
import { AwsCallerError, findAwsCallerError } from '../adapters/sts/authenticate-caller.ts';
import {
  ConflictError,
  InputError,
  MalformedRecordError,
  RefusedError,
  UnavailableError,
  VersionConflictError,
} from '../core/errors.ts';
import { FetchError } from '../core/identity-provider/fetch-json.ts';
import type { GlobalOptions } from './cli.ts';
import type { CliIo } from './cli-io.ts';
import { createProgram } from './program.ts';
import { InterruptedError, NotConfirmedError, Terminal } from './terminal.ts';
import { type ExitCode, exitCodes, UsageError } from './usage-error.ts';

/** A kid is a SHA-256 in base64url. One in 64 begins with "-" but is not an option. */
const kidLikeAnOption = /^-[\w-]{42}$/;

/** Puts "--" before such kids. Options may come before or after the arguments. */
function separateKids(args: readonly string[]): readonly string[] {
  const kids = args.filter((arg) => kidLikeAnOption.test(arg));
  if (kids.length === 0 || args.includes('--')) return args;
  return [...args.filter((arg) => !kids.includes(arg)), '--', ...kids];
}

/**
 * Runs one command line.
 *
 * @param args the arguments after `authctl`.
 * @returns the exit code.
 */
export async function runAuthctl(args: readonly string[], io: CliIo): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const answerNo = (): void => {
    exitCode = exitCodes.refused;
  };
  const program = createProgram(io, answerNo);
  try {
    await program.parseAsync(separateKids(args), { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportError(io, error, program.opts());
  }
}

interface Report {
  /** Stable word for scripts. */
  readonly error: string;
  readonly text: string;
  readonly exitCode: ExitCode;
  /** Each value that is not allowed. */
  readonly problems?: readonly { readonly field: string; readonly problem: string }[] | undefined;
}

function describe(error: unknown): Report {
  const report = (name: string, exitCode: ExitCode, text = (error as Error).message): Report => ({
    error: name,
    text,
    exitCode,
  });
  if (error instanceof CommanderError) {
    const text = error.message.replace(/^error: /, '');
    return report('usage', exitCodes.usage, `${text}\n(--help shows what is allowed)`);
  }
  if (error instanceof InputError) {
    // By the names that a person typed: those of options, or of fields on the wire.
    const problems = error.problems.map(({ label = '', problem }) => ({ field: label, problem }));
    return { ...report('usage', exitCodes.usage), problems };
  }
  if (error instanceof UsageError) return report('usage', exitCodes.usage);
  if (error instanceof RefusedError || error instanceof FetchError) {
    return report('refused', exitCodes.refused);
  }
  if (error instanceof NotConfirmedError) return report('not_confirmed', exitCodes.refused);
  if (error instanceof InterruptedError) {
    return report('interrupted', exitCodes.interrupted, 'interrupted; nothing was changed');
  }
  // The same command again would be refused again.
  if (error instanceof VersionConflictError) return report('conflict', exitCodes.refused);
  if (error instanceof ConflictError) {
    return report('conflict', exitCodes.refused, `${error.message}; try again`);
  }
  if (error instanceof MalformedRecordError) return report('malformed_record', exitCodes.refused);
  if (error instanceof UnavailableError) return report('unavailable', exitCodes.refused);
  if (!(error instanceof Error)) return report('failed', exitCodes.refused, 'unknown error');
  if (error.message === 'Region is missing') {
    return report('usage', exitCodes.usage, 'no AWS region: set AWS_REGION');
  }
  const own = error instanceof AwsCallerError ? error : findAwsCallerError(error);
  const text = own?.message ?? `${error.name}: ${error.message}`;
  return report('failed', exitCodes.refused, text);
}

/** Reports an error on stderr, never on stdout. @returns the exit code. */
function reportError(io: CliIo, error: unknown, options: GlobalOptions): ExitCode {
  if (error instanceof CommanderError) {
    // The requested help or version, or the help if the command is missing.
    if (error.exitCode === 0) return exitCodes.done;
    if (error.code === 'commander.help') return exitCodes.usage;
  }
  const { error: name, text: said, exitCode, problems } = describe(error);
  const profile = io.env.AWS_PROFILE;
  const isOfProfile = profile && said.includes('CredentialsProviderError');
  const plain = isOfProfile ? `${said}; AWS_PROFILE is ${JSON.stringify(profile)}` : said;
  const isAbsent = options.local === true && error instanceof UnavailableError;
  const text = isAbsent
    ? `the local run does not answer; start it with npm start (${plain})`
    : plain;
  new Terminal(io).writeError(
    options.json === true
      ? `${JSON.stringify({ error: name, error_description: text, problems })}\n`
      : `authctl: ${text}\n`,
  );
  return exitCode;
}
