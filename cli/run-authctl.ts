import { CommanderError } from 'commander';
import { AwsCallerError, findAwsCallerError } from '../adapters/sts/authenticate-caller.ts';
import { inQuotes } from '../contract/shell-word.ts';
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

/** Global options without a value, which may stand before a command. */
const isFlag: ReadonlySet<string> = new Set(['--local', '--json', '--quiet', '--yes']);

/**
 * Runs one command line.
 *
 * @param args the arguments after `authctl`.
 * @returns the exit code.
 */
export async function runAuthctl(args: readonly string[], io: CliIo): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const [first, second] = args.slice(args.findIndex((arg) => !isFlag.has(arg)));
  const isScript = first === 'complete' && second !== '--';
  if (isScript && args.includes('--json')) {
    const error = new UsageError('--json: complete writes a script for a shell, and no JSON');
    return reportError(io, error, { json: true });
  }
  if (isScript && (second === 'bash' || second === 'zsh')) {
    const script = second === 'bash' ? bashCompletion : zshCompletion;
    new Terminal(io).writeOut(script(io.command ?? ['authctl']));
    return exitCode;
  }
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

/** The command that runs this program, in its place of installation. */
function formatCommand(command: readonly string[]): string {
  return command.map(inQuotes).join(' ');
}

/**
 * Completion for bash, its version 3.2 included, without the package bash-completion. It reads the
 * line without evaluating it, may be sourced again, and completes `npx --no -- authctl` as well.
 *
 * @param command the command that runs this program.
 */
function bashCompletion(command: readonly string[]): string {
  return `# bash completion for authctl, also after npx and its options
_authctl_complete() {
  local line="\${COMP_LINE:0:COMP_POINT}" words=() cur prefix value
  read -r -a words <<< "$line"
  case "$line" in *[[:space:]]) words+=('') ;; esac
  while [ "\${words[0]##*/}" != authctl ] && [ "\${#words[@]}" -gt 0 ]; do words=("\${words[@]:1}"); done
  COMPREPLY=()
  [ "\${#words[@]}" -gt 1 ] || return 0
  cur="\${words[\${#words[@]}-1]}"
  # Readline replaces only what follows the last colon or equals sign.
  prefix="\${cur%"\${cur##*[:=]}"}"
  while IFS=$'\\t' read -r value _; do
    case "$value" in
      :[0-9]*) ;;
      "$cur"*) COMPREPLY+=("\${value#"$prefix"}") ;;
    esac
  done < <(${formatCommand(command)} complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _authctl_complete authctl
# Other completions of npx stay as they are.
_authctl_complete_npx() {
  local word
  for word in "\${COMP_WORDS[@]:1}"; do
    case "$word" in
      -*) ;;
      authctl | */authctl) _authctl_complete; return ;;
      *) return 0 ;;
    esac
  done
}
complete -p npx >/dev/null 2>&1 || complete -o default -F _authctl_complete_npx npx
`;
}

/**
 * Completion for zsh, to be sourced after compinit or put into a folder of fpath. The script of
 * `@bomb.sh/tab` cuts off each value at its first colon.
 *
 * @param command the command that runs this program.
 */
function zshCompletion(command: readonly string[]): string {
  return `#compdef authctl
_authctl() {
  local -a found
  local value description
  while IFS=$'\\t' read -r value description; do
    [[ "$value" == :<-> ]] || found+=("\${value//:/\\\\:}:$description")
  done < <(${formatCommand(command)} complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  _describe authctl found || _files
}
if [ "$funcstack[1]" = _authctl ]; then _authctl; else compdef _authctl authctl; fi
`;
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
