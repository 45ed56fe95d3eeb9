import { codeBlocks, isShell, readPage } from '../../../lab/support/markdown.ts';

/** Words of a command as a shell splits them, with what is in quotes as one word. */
function wordsOf(command: string): readonly string[] {
  const words = command.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  return words.map((word) => word.replaceAll(/^['"]|['"]$/g, ''));
}

/** The commands of docs/keyless.md, each as its words. */
export const keylessCommands: readonly (readonly string[])[] = codeBlocks(
  readPage('docs/keyless.md'),
)
  .filter(isShell)
  .flatMap(({ lines }) => lines.join('\n').replaceAll('\\\n', ' ').split('\n'))
  .map(wordsOf);
