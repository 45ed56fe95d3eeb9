import { OutputProcess } from '../../support/output-process.ts';
import type { Command } from '../../support/run-command.ts';

export interface Answer {
  readonly ok: boolean;
  readonly why?: string;
}

/** A program of lab/suites/interop/programs, or a service, that answers one question after the other. */
interface RunningProgram<Question, Reply extends Answer> {
  ask(question: Question): Promise<Reply>;
  close(): Promise<unknown>;
}

interface VerifierQuestion {
  readonly token: string;
  /** For libraries that fetch none. */
  readonly jwks: string;
  /** Seconds by which the program's clock is ahead. */
  readonly later?: number;
  /** For services: the request, in place of one with a bearer token. */
  readonly request?: (url: string) => Promise<Response>;
}

interface VerifierAnswer extends Answer {
  /** Of a service. */
  readonly status?: number;
}

export type RunningVerifier = RunningProgram<VerifierQuestion, VerifierAnswer>;

export type Variables = Readonly<Record<string, string>>;

/** Starts a program that reads a question from each line, and answers with a line. */
export function startProgram<Question, Reply extends Answer>(
  command: Command,
  variables: Variables,
): RunningProgram<Question, Reply> {
  const program = new OutputProcess(command, { env: { ...process.env, ...variables } });
  let asked = 0;
  return {
    async ask(question) {
      const index = asked;
      asked += 1;
      program.child.stdin.write(`${JSON.stringify(question)}\n`);
      try {
        const line = await program.waitFor('its answer', () => program.lines[index]);
        return JSON.parse(line) as Reply;
      } catch {
        const why = program.errors.trim().split('\n').at(-1) || 'no answer';
        return { ok: false, why } as Reply;
      }
    },
    async close() {
      program.child.stdin.end();
      await program.stop();
    },
  };
}
