import assert from 'node:assert/strict';
import type { Cloud } from '../../ministack/cloud.ts';
import { say } from '../../ministack/proof.ts';
import { codeBlocks, readPage } from '../../support/markdown.ts';

/** What a page says of the blocks that this runs. */
const marker = 'npm run test:all -- redeploy runs it on an emulator';

/** Runs the commands of a page as they are there, one block after another. */
export async function followProcedure(
  cloud: Cloud,
  page: string,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const blocks = codeBlocks(readPage(page)).filter(({ notRun }) => notRun?.includes(marker));
  assert.ok(blocks.length > 0, `${page} has no commands with "${marker}"`);
  for (const { lines } of blocks) {
    for (const line of lines) {
      await cloud.shell(line, variables);
      say(`$ ${line}`);
    }
  }
}
