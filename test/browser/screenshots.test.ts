import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runCommand } from '../../lab/support/run-command.ts';
import { everyPage } from '../../lab/tools/screenshots/pages.ts';
import { temporaryDirectory } from '../integration/lab/local/temporary-directory.ts';

it('a picture of every page can be taken, narrow and wide, light and dark', async () => {
  const folder = temporaryDirectory();
  const tool = ['node', 'lab/tools/screenshots/main.ts', '--all', folder] as const;
  const { code, output } = await runCommand(tool, {});
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(readdirSync(folder)).toHaveLength(everyPage.length * 4);
});
