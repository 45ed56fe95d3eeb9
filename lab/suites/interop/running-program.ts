import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { stepLimit } from '../../support/hang-limit.ts';

export interface Answer {
  readonly ok: boolean;
  readonly why?: string;
}

/** A program of lab/suites/interop/programs, or a service, that answers one question after the other. */
export interface RunningProgram<Question, Reply extends Answer> {
  ask(question: Question): Promise<Reply>;
  close(): Promise<void>;
}

export interface VerifierQuestion {
  readonly token: string;
  /** For libraries that fetch none. */
  readonly jwks: string;
  /** Seconds by which the program's clock is ahead. */
  readonly later?: number;
}

export interface VerifierAnswer extends Answer {
  /** Of a service. */
  readonly status?: number;
}

export type RunningVerifier = RunningProgram<VerifierQuestion, VerifierAnswer>;

export type Variables = Readonly<Record<string, string>>;

/** Starts a program that reads a question from each line, and answers with a line. */
export function startProgram<Question, Reply extends Answer>(
  [command, ...args]: readonly [string, ...string[]],
  variables: Variables,
): RunningProgram<Question, Reply> {
  const child = spawn(command, args, { env: { ...process.env, ...variables } });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const lastError = () => errors.trim().split('\n').at(-1) ?? '';
  const waiting: ((answer: Reply) => void)[] = [];
  const failed = (why: string) => ({ ok: false, why }) as Reply;
  createInterface({ input: child.stdout }).on('line', (line) => {
    waiting.shift()?.(JSON.parse(line) as Reply);
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const fail = (why: string) => {
    for (const resolve of waiting.splice(0)) resolve(failed(why));
  };
  child.on('error', ({ message }) => fail(message));
  // The callback of a write has the error, too.
  child.stdin.on('error', () => undefined);
  void ended.then(() => fail(`it ended: ${lastError()}`));
  return {
    ask: (question) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        setTimeout(() => resolve(failed('no answer')), stepLimit).unref();
        child.stdin.write(`${JSON.stringify(question)}\n`, (error) => {
          if (error) fail(lastError() || error.message);
        });
      }),
    async close() {
      child.stdin.end();
      child.kill();
      await ended;
    },
  };
}
