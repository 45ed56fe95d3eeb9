import { spawn } from 'node:child_process';
import { hangLimit } from './hang-limit.ts';

export type Command = readonly [string, ...string[]];

export interface CommandOptions {
  readonly cwd?: string | undefined;
  /** In addition to the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** The whole environment. */
  readonly onlyEnvironment?: NodeJS.ProcessEnv;
  /** Standard input; none if left out. */
  readonly input?: string | undefined;
  /** Milliseconds after which the command is ended. */
  readonly timeout?: number;
}

export interface CommandResult {
  /** Undefined if the command could not be started, or did not end in time. */
  readonly code: number | undefined;
  /** Standard output and standard error, in the order in which they came. */
  readonly output: string;
  /** Standard output only. */
  readonly stdout: string;
}

/** Runs a command without blocking this process, which may be serving what the command asks for. */
export function runCommand(
  [command, ...args]: Command,
  { cwd, environment, onlyEnvironment, input, timeout = hangLimit }: CommandOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: onlyEnvironment ?? { ...process.env, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // A command that does not read it may have ended before.
    child.stdin.on('error', () => undefined).end(input);
    let output = '';
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    let isLate = false;
    // The option `timeout` of spawn keeps this process running if there is no such command, and
    // leaves it waiting if the command has left its output to another process.
    const limit = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
      child.stdout.destroy();
      child.stderr.destroy();
    }, timeout);
    const end = (code: number | undefined, allOutput: string) => {
      clearTimeout(limit);
      resolve({ code, output: allOutput, stdout });
    };
    child.on('error', ({ message }) => end(undefined, message));
    child.on('close', (code, signal) => {
      if (isLate) return end(undefined, `${output}\ndid not end in ${timeout} ms`);
      const ended = signal === null ? '' : `\nended by ${signal}`;
      return end(code ?? undefined, output + ended);
    });
  });
}

/** @returns standard output. @throws {Error} with everything that the command wrote, if it fails. */
export async function runOrThrow(command: Command, options: CommandOptions = {}): Promise<string> {
  const { code, output, stdout } = await runCommand(command, options);
  if (code === 0) return stdout;
  throw new Error(`${command.join(' ')} failed:\n${output}`);
}

/** The line that says most: Maven, pip and Cargo end with advice, not with the error. */
function lineOf(output: string): string {
  const lines = output.trim().split('\n');
  return (lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? '').trim().slice(0, 200);
}

/** Why a tool did not do its work, for the line of a test that is skipped. */
export function missingTool(name: string, { code, output }: CommandResult): string {
  if (code === undefined && output.includes('ENOENT')) return `${name} (not on the PATH)`;
  return `a working ${name} (${lineOf(output)})`;
}
