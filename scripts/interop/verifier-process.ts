import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { hangLimit } from '../support/hang-limit.ts';

export interface Answer {
  readonly ok: boolean;
  readonly why?: string;
}

/** A running verifier: a library in its own language, or a service that uses it. */
export interface RunningVerifier {
  ask(token: string, jwks: string): Promise<Answer>;
  close(): Promise<void>;
}

export type Variables = Readonly<Record<string, string>>;

/** A program that reads a token from each line and answers with a line (test/interop). */
export function startProcess(
  [command, ...args]: readonly [string, ...string[]],
  variables: Variables,
): RunningVerifier {
  const child = spawn(command, args, { env: { ...process.env, ...variables } });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const waiting: ((answer: Answer) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    waiting.shift()?.(JSON.parse(line) as Answer);
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const fail = (why: string) => {
    for (const resolve of waiting.splice(0)) resolve({ ok: false, why });
  };
  child.on('error', ({ message }) => fail(message));
  void ended.then(() => fail(`it ended: ${errors.trim().split('\n').at(-1) ?? ''}`));
  return {
    ask: (token, jwks) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        const timer = setTimeout(() => fail('no answer'), hangLimit);
        void ended.then(() => clearTimeout(timer));
        child.stdin.write(`${JSON.stringify({ token, jwks })}\n`, (error) => {
          if (error) fail(errors.trim().split('\n').at(-1) ?? error.message);
        });
        timer.unref();
      }),
    async close() {
      child.stdin.end();
      child.kill();
      await ended;
    },
  };
}
