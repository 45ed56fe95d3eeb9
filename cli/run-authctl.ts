import type { CliIo } from './cli-io.ts';
import { createProgram } from './program.ts';
import { reportError } from './report-error.ts';
import { type ExitCode, exitCodes } from './usage-error.ts';

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
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportError(io, error, program.opts());
  }
}
