import type { CliIo } from './cli-io.ts';
import { createProgram } from './program.ts';
import { reportError } from './report-error.ts';
import { type ExitCode, exitCodes } from './usage-error.ts';

/** A kid is a SHA-256 in base64url. One in 64 begins with "-", and is no option. */
const kidLikeAnOption = /^-[\w-]{42}$/;

/** Puts "--" before such kids; options may come before or after what they belong to. */
function separateKids(args: readonly string[]): readonly string[] {
  const kids = args.filter((arg) => kidLikeAnOption.test(arg));
  if (kids.length === 0 || args.includes('--')) return args;
  return [...args.filter((arg) => !kids.includes(arg)), '--', ...kids];
}

/**
 * Runs one command line.
 *
 * @param args what follows `authctl`.
 * @returns the exit code.
 */
export async function runAuthctl(args: readonly string[], io: CliIo): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = createProgram(io, () => {
    exitCode = exitCodes.refused;
  });
  try {
    await program.parseAsync(separateKids(args), { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportError(io, error, program.opts());
  }
}
