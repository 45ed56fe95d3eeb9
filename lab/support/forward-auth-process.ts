import type { ChildProcess } from 'node:child_process';
import { join, resolve } from 'node:path';
import { OutputProcess } from './output-process.ts';
import { programEnvironment } from './program-environment.ts';
import type { Command } from './run-command.ts';

const main = join(resolve(import.meta.dirname, '../..'), 'verifier/forward-auth/main.ts');

/** Node before 22.18 runs TypeScript only if it is told to. */
const stripTypes =
  process.features.typescript === false ? ['--experimental-strip-types', '--no-warnings'] : [];

type LogLine = Readonly<Record<string, unknown>> & { readonly message: string };

/** The forward-auth command, running. */
export interface ForwardAuthProcess {
  /** `http://127.0.0.1:PORT`, or `unix:PATH`. */
  readonly address: string;
  readonly child: ChildProcess;
  /** What it has logged so far. */
  readonly log: readonly LogLine[];
  /** Waits for a line of the log with these values, past ones included. */
  waitFor(values: Readonly<Record<string, unknown>>): Promise<LogLine>;
  /** Asks it to stop, and waits for its exit code. */
  stop(): Promise<number | null>;
}

export interface ForwardAuthStart {
  /** Left out: this Node and the sources. */
  readonly command?: Command;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Which line of the log ends the start; `ready` if left out. */
  readonly until?: 'listening' | 'ready';
}

/** Starts the command on a free port unless the arguments say otherwise. */
export async function startForwardAuthProcess({
  command = [process.execPath, ...stripTypes, main],
  args,
  environment,
  until = 'ready',
}: ForwardAuthStart): Promise<ForwardAuthProcess> {
  const listen = args.includes('--listen') ? [] : ['--listen', '127.0.0.1:0'];
  const { HOME } = process.env;
  const running = new OutputProcess([...command, ...listen, ...args], {
    env: { ...programEnvironment(), HOME, ...environment },
  });
  const log: LogLine[] = [];
  const readLog = () => {
    for (const line of running.lines.slice(log.length)) log.push(JSON.parse(line) as LogLine);
    return log;
  };
  running.child.stdout.on('data', readLog);
  const waitFor = (values: Readonly<Record<string, unknown>>) =>
    running.waitFor(JSON.stringify(values), () =>
      readLog().find((line) =>
        Object.entries(values).every(([name, value]) => line[name] === value),
      ),
    );
  const { address } = await waitFor({ message: 'listening' });
  await waitFor({ message: until });
  return {
    address: String(address),
    child: running.child,
    log,
    waitFor,
    stop: async () => (await running.stop()).code,
  };
}
