import { expect, it } from 'vitest';
import { runCommand } from '../../../lab/support/run-command.ts';
import manifest from '../../../package.json' with { type: 'json' };

/** The last command of each script, which gets the arguments; those of other tools are theirs. */
const scripts = new Set(
  Object.values(manifest.scripts)
    .map((script) => script.split(' && ').at(-1) ?? '')
    .filter((command) => command.startsWith('node '))
    .map((command) => command.slice('node '.length)),
);

it.each([...scripts])('node %s refuses an argument that it does not know', async (script) => {
  const { code, output } = await runCommand(['node', ...script.split(' '), '--no-such-argument']);
  expect(output).toContain('--no-such-argument');
  expect(code).not.toBe(0);
});
