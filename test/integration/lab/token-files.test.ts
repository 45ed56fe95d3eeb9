import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { root } from '../../../lab/tools/sizes/loaded-files.ts';

it('a reader of what one token calls opens at most 36 files', () => {
  const tool = ['lab/tools/sizes/main.ts'];
  const text = execFileSync(process.execPath, tool, { cwd: root, encoding: 'utf8' });
  const [, files] = /^One token calls \d+ functions in (\d+) files\.$/m.exec(text) ?? [];
  expect(Number(files)).toBeLessThanOrEqual(36);
});
