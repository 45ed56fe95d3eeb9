import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { stepLimit } from './hang-limit.ts';

const main = join(resolve(import.meta.dirname, '../..'), 'verifier/forward-auth/main.ts');

export type LogLine = Readonly<Record<string, unknown>> & { readonly message: string };

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
  readonly command?: readonly [string, ...string[]];
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Which line of the log ends the start; `ready` if left out. */
  readonly until?: 'listening' | 'ready';
}

/** Starts the command on a free port unless the arguments say otherwise. */
export async function startForwardAuthProcess(
  start: ForwardAuthStart,
): Promise<ForwardAuthProcess> {
  const listen = start.args.includes('--listen') ? [] : ['--listen', '127.0.0.1:0'];
  const [program, ...first] = start.command ?? [process.execPath, main];
  const child = spawn(program, [...first, ...listen, ...start.args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...start.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problem += text;
  });
  const log: LogLine[] = [];
  const waiting = new Set<() => void>();
  const notify = () => waiting.forEach((look) => look());
  createInterface({ input: child.stdout }).on('line', (line) => {
    log.push(JSON.parse(line) as LogLine);
    notify();
  });
  child.on('exit', notify);

  function waitFor(values: Readonly<Record<string, unknown>>): Promise<LogLine> {
    const wanted = Object.entries(values);
    return new Promise((found, reject) => {
      const end = (act: () => void) => {
        clearTimeout(limit);
        waiting.delete(look);
        act();
      };
      const fail = (why: string) =>
        end(() =>
          reject(new Error(`forward-auth: ${why} before ${JSON.stringify(values)}\n${problem}`)),
        );
      const look = () => {
        const line = log.find((each) => wanted.every(([name, value]) => each[name] === value));
        if (line !== undefined) end(() => found(line));
        else if (child.exitCode !== null) fail('it ended');
      };
      const limit = setTimeout(fail, stepLimit, `${stepLimit} ms passed`);
      waiting.add(look);
      look();
    });
  }

  async function stop(): Promise<number | null> {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    return child.exitCode;
  }

  const { address } = await waitFor({ message: 'listening' });
  await waitFor({ message: start.until ?? 'ready' });
  return { address: String(address), child, log, waitFor, stop };
}
