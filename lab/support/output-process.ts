import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { stepLimit } from './hang-limit.ts';
import type { Command } from './run-command.ts';

/** How a process ended. */
interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that runs on, and whose output is kept. */
export class OutputProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** When its streams are closed, too. */
  readonly ended: Promise<End>;
  /** What it has written so far to standard output, and to standard error. */
  output = '';
  errors = '';
  readonly #name: string;
  readonly #watching = new Set<() => void>();
  #hasEnded = false;

  constructor(
    [command, ...args]: Command,
    options: {
      readonly cwd?: string | undefined;
      readonly env: NodeJS.ProcessEnv;
      /** Leads a process group, for {@link interrupt}. */
      readonly detached?: boolean;
    },
  ) {
    this.#name = [command, ...args].join(' ');
    this.child = spawn(command, args, options);
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
      this.#look();
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
    // The callback of a write has the error, too.
    this.child.stdin.on('error', () => undefined);
    this.child.on('error', ({ message }) => {
      this.errors += message;
    });
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        this.#hasEnded = true;
        this.#look();
        resolve({ code, signal });
      });
    });
  }

  /** Complete lines of standard output. */
  get lines(): readonly string[] {
    return this.output.split('\n').slice(0, -1);
  }

  /**
   * Waits until the output has something, what it has already included.
   *
   * @throws {Error} if the process ends before, or nothing was found within the limit of a step.
   */
  waitFor<T>(what: string, find: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        clearTimeout(limit);
        this.#watching.delete(look);
        act();
      };
      const fail = (why: string) =>
        end(() =>
          reject(new Error(`${this.#name}: ${why} before ${what}\n${this.output}${this.errors}`)),
        );
      const look = () => {
        const found = find();
        if (found !== undefined) end(() => resolve(found));
        else if (this.#hasEnded) fail('it ended');
      };
      const limit = setTimeout(fail, stepLimit, `${stepLimit} ms passed`);
      this.#watching.add(look);
      look();
    });
  }

  /** Ctrl-C in its terminal, or another signal, which reaches every process of its group. */
  async interrupt(signal: NodeJS.Signals = 'SIGINT'): Promise<End> {
    if (this.child.pid !== undefined && !this.#hasEnded) process.kill(-this.child.pid, signal);
    return this.ended;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<End> {
    this.child.kill(signal);
    return this.ended;
  }

  #look(): void {
    for (const look of this.#watching) look();
  }
}
