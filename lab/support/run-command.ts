import { spawn } from 'node:child_process';

export interface CommandOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds after which the command is ended. */
  readonly timeout: number;
}

export interface CommandResult {
  /** Undefined if the command could not be started, or did not end in time. */
  readonly code: number | undefined;
  /** Standard output and standard error, in the order in which they came. */
  readonly output: string;
}

/** Runs a command without blocking this process, which may be serving what the command asks for. */
export function runCommand(
  [command, ...args]: readonly [string, ...string[]],
  { cwd, environment, timeout }: CommandOptions,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout,
      killSignal: 'SIGKILL',
    });
    let output = '';
    const add = (text: string): void => {
      output += text;
    };
    child.stdout.setEncoding('utf8').on('data', add);
    child.stderr.setEncoding('utf8').on('data', add);
    child.on('error', (error) => resolve({ code: undefined, output: error.message }));
    child.on('close', (code, signal) => {
      const ended = signal === null ? '' : `\nended by ${signal} after ${timeout} ms`;
      resolve({ code: code ?? undefined, output: output + ended });
    });
  });
}
