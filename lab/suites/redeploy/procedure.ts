import assert from 'node:assert/strict';
import type { Cloud } from '../../ministack/cloud.ts';
import { say } from '../../ministack/proof.ts';
import { codeBlocks, readPage } from '../../support/markdown.ts';

/** What a page says of the blocks that this runs. */
const marker = 'npm run test:all -- redeploy runs it on an emulator';

/** A loop is one command; the commands of other blocks run by themselves. */
function commandsOf(lines: readonly string[]): readonly string[] {
  return lines.some((line) => line.startsWith('for ')) ? [lines.join('\n')] : lines;
}

/** Runs the commands of a page as they are there, one block after another. */
export async function followProcedure(
  cloud: Cloud,
  page: string,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const blocks = codeBlocks(readPage(page)).filter(({ notRun }) => notRun?.includes(marker));
  assert.ok(blocks.length > 0, `${page} has no commands with "${marker}"`);
  for (const { lines } of blocks) {
    for (const command of commandsOf(lines)) {
      await cloud.shell(command, variables);
      say(`$ ${command.replaceAll('\n', '\n    ')}`);
    }
  }
}
