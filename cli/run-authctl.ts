import { inQuotes } from '../contract/shell-word.ts';
import type { CliIo } from './cli-io.ts';
import type { CompletionValues } from './completion-values.ts';
import { createProgram } from './program.ts';
import { reportError } from './report-error.ts';
import { Terminal } from './terminal.ts';
import { type ExitCode, exitCodes } from './usage-error.ts';

/** A kid is a SHA-256 in base64url. One in 64 begins with "-" but is not an option. */
const kidLikeAnOption = /^-[\w-]{42}$/;

/** Puts "--" before such kids. Options may come before or after the arguments. */
function separateKids(args: readonly string[]): readonly string[] {
  const kids = args.filter((arg) => kidLikeAnOption.test(arg));
  if (kids.length === 0 || args.includes('--')) return args;
  return [...args.filter((arg) => !kids.includes(arg)), '--', ...kids];
}

/** Loaded only for completions, because it needs the management library. */
async function readValues(io: CliIo, words: readonly string[]): Promise<CompletionValues> {
  const { readCompletionValues } = await import('./completion-values.ts');
  return readCompletionValues(io, words);
}

/**
 * Runs one command line.
 *
 * @param args the arguments after `authctl`.
 * @returns the exit code.
 */
export async function runAuthctl(args: readonly string[], io: CliIo): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const [first, second, ...words] = args;
  if (first === 'complete' && (second === 'bash' || second === 'zsh')) {
    const script = second === 'bash' ? bashCompletion : zshCompletion;
    new Terminal(io).writeOut(script(io.command ?? ['authctl']));
    return exitCode;
  }
  const values = first === 'complete' && second === '--' ? await readValues(io, words) : undefined;
  const answerNo = (): void => {
    exitCode = exitCodes.refused;
  };
  const program = createProgram(io, answerNo, values);
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
