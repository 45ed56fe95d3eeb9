import { readFileSync } from 'node:fs';

/** The command line itself is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws {UsageError} with the option, or the argument, what was received, and what is allowed. */
export function refuseUsage(option: string, received: string | undefined, allowed: string): never {
  throw new UsageError(`${option}: received "${received}"; allowed: ${allowed}`);
}

/** A file that a person named. @param say the message, with the system's code. */
export function readGivenFile(path: string, say: (code: string) => string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new UsageError(say(code), { cause });
  }
}

/** Exit codes of `authctl`. After Ctrl-C it is what a shell expects: 128 and the number of SIGINT. */
export const exitCodes = { done: 0, refused: 1, usage: 2, interrupted: 130 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
