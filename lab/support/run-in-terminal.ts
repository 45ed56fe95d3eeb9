import { spawn } from 'node:child_process';
import { hangLimit } from './hang-limit.ts';
import {
  type Command,
  type CommandOptions,
  type CommandResult,
  missingTool,
} from './run-command.ts';

/** The keys of a terminal that end a question. */
export const keys = { ctrlC: '\u0003', ctrlD: '\u0004', enter: '\r' } as const;

/** What a person types when the program shows a text: each answer once, in this order. */
export type Answers = readonly (readonly [prompt: string, keys: string])[];

/** A word of the shell. */
const quote = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/**
 * Runs a command in a terminal, with `script` of util-linux.
 *
 * @returns what is missing if the machine has no such `script`.
 */
export async function runInTerminal(
  command: Command,
  answers: Answers,
  { cwd, environment }: Pick<CommandOptions, 'cwd' | 'environment'> = {},
): Promise<CommandResult | { readonly missing: string }> {
  const child = spawn('script', ['-qefc', command.map(quote).join(' '), '/dev/null'], {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), hangLimit);
  const rest = [...answers];
  let output = '';
  let unread = '';
  const find = () => (rest[0] === undefined ? -1 : unread.indexOf(rest[0][0]));
  child.stdin.on('error', () => undefined);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    unread += text;
    for (let at = find(); at >= 0; at = find()) {
      const [prompt, typed] = rest.shift() ?? ['', ''];
      unread = unread.slice(at + prompt.length);
      child.stdin.write(typed);
    }
  });
  return new Promise((resolve) => {
    child.on('error', ({ message }) => {
      clearTimeout(limit);
      const result = { code: undefined, output: message, stdout: '' };
      resolve({ missing: missingTool('script of util-linux', result) });
    });
    child.on('close', (code) => {
      clearTimeout(limit);
      resolve({ code: code ?? undefined, output, stdout: output });
    });
  });
}
