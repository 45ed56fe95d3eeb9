import type { CliIo } from './cli-io.ts';
import { bashCompletion, zshCompletion } from './completion-script.ts';
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
