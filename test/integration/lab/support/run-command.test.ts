import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../../../../lab/support/run-command.ts';

const runCommandFile = join(import.meta.dirname, '../../../../lab/support/run-command.ts');

it('leaves no timer if the command is not on this machine: its process can end', async () => {
  const program = `
    import { runCommand } from ${JSON.stringify(runCommandFile)};
    const { code } = await runCommand(['no-such-command']);
    console.log(code, process.getActiveResourcesInfo().includes('Timeout'));
    process.exit();
  `;
  const flags = ['--input-type=module', '--eval', program];
  expect(await runCommand([process.execPath, ...flags])).toMatchObject({
    code: 0,
    stdout: 'undefined false\n',
  });
});

it('ends in time, also if a process that the command left keeps its output open', async () => {
  const command = ['sh', '-c', 'sleep 600 & echo $!'] as const;
  const { code, stdout, output } = await runCommand(command, { timeout: 2000 });
  expect(stdout).toMatch(/^\d+\n$/);
  process.kill(Number(stdout));
  expect({ code, end: output.split('\n').at(-1) }).toEqual({
    code: undefined,
    end: 'did not end in 2000 ms',
  });
});

it('ends a command that does not end in time', async () => {
  const { code, output } = await runCommand(['sleep', '600'], { timeout: 100 });
  expect({ code, output }).toEqual({ code: undefined, output: '\ndid not end in 100 ms' });
});
