import { OutputProcess } from './output-process.ts';
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
  const script: Command = ['script', '-qefc', command.map(quote).join(' '), '/dev/null'];
  const running = new OutputProcess(script, { cwd, env: { ...process.env, ...environment } });
  let read = 0;
  for (const [prompt, typed] of answers) {
    const shown = () => {
      const at = running.output.indexOf(prompt, read);
      return at < 0 ? undefined : at + prompt.length;
    };
    // If it ends before, its output says why.
    read = (await running.waitFor(prompt, shown).catch(() => undefined)) ?? running.output.length;
    running.child.stdin.write(typed);
  }
  const { code } = await running.ended;
  if (running.errors.includes('ENOENT')) {
    const result = { code: undefined, output: running.errors, stdout: '' };
    return { missing: missingTool('script of util-linux', result) };
  }
  return { code: code ?? undefined, output: running.output, stdout: running.output };
}
