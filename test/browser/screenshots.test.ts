import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runCommand } from '../../lab/support/run-command.ts';
import { pictures } from '../../lab/tools/screenshots/pages.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it('the pictures of the documentation can be taken', async () => {
  const folder = temporaryDirectory();
  const tool = ['node', 'lab/tools/screenshots/main.ts', folder] as const;
  const { code, output } = await runCommand(tool, {});
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(readdirSync(folder)).toHaveLength(pictures.length + 1);
});
