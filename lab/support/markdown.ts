import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/** A fenced code block. */
interface CodeBlock {
  readonly language: string;
  /** Line of the fence, from 1. */
  readonly line: number;
  readonly lines: readonly string[];
  /** From `<!-- not run: reason -->` on the line before the fence. */
  readonly notRun: string | undefined;
}

/** A command, and the lines that the page shows as its output; undefined if it shows none. */
interface DocumentedCommand {
  readonly command: string;
  readonly output: readonly string[];
}

const topLevel = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'examples/README.md'];

/** Every page of the documentation, by its path from the project's root. */
export function markdownFiles(): readonly string[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name))
    .sort();
  const others = readdirSync(root, { encoding: 'utf8' });
  return [...topLevel.filter((name) => name.includes('/') || others.includes(name)), ...docs];
}

export function readPage(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

export function codeBlocks(page: string): readonly CodeBlock[] {
  const pattern = /(?:^<!-- not run: (.+?) -->\n)?^( *)```([\w-]*)[^\n]*\n(.*?)^\2```$/gms;
  return [...page.matchAll(pattern)].map((match) => {
    const [, notRun, indent = '', language = '', body = ''] = match;
    return {
      language,
      line: page.slice(0, match.index).split('\n').length,
      lines: body
        .split('\n')
        .slice(0, -1)
        .map((line) => line.slice(indent.length)),
      notRun,
    };
  });
}

/** Languages of blocks that a reader types into a shell. */
export function isShell({ language }: CodeBlock): boolean {
  return ['sh', 'bash', 'shell', 'console'].includes(language);
}

/** Reasons that name a test, a suite or CI. */
const elsewhere = /\btest\/[\w/]|\bnpm run (?:test|bench)|\.ci\/run/;

/** How many blocks of shell commands the test of the pages runs, another test runs, and no test. */
export function countBlocks(blocks: readonly CodeBlock[]) {
  const reasons = blocks.filter(isShell).map(({ notRun }) => notRun);
  const others = reasons.filter((reason) => reason !== undefined);
  const byOthers = others.filter((reason) => elsewhere.test(reason)).length;
  return {
    all: reasons.length,
    run: reasons.length - others.length,
    byOthers,
    byNone: others.length - byOthers,
  };
}

/** A sentence for docs/README.md, which `node lab/tools/count-commands.ts` writes. */
export function describeBlocks({ all, run, byOthers, byNone }: ReturnType<typeof countBlocks>) {
  return `Of ${all} blocks of shell commands, this test runs ${run}. For ${byOthers} more, the reason names the test or suite that does the same. The other ${byNone} run nowhere here: they need an AWS account, a deployment or a provider on the internet.`;
}

/** The commands of a session: each `$ ` line with what follows it. */
function consoleCommands(lines: readonly string[]): readonly DocumentedCommand[] {
  const commands: { command: string; output: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith('$ ')) commands.push({ command: line.slice(2), output: [] });
    else if (line !== '') commands.at(-1)?.output.push(line);
  }
  return commands;
}

/** The commands of a block. Those of a script are one, which ends at the first that fails. */
export function commandsOf(block: CodeBlock): readonly DocumentedCommand[] {
  if (block.language === 'console') return consoleCommands(block.lines);
  return [{ command: ['(set -e', ...block.lines, ')'].join('\n'), output: [] }];
}
