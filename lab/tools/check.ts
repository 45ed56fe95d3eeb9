import { type Command, runCommand } from '../support/run-command.ts';

/*
 * `npm run check`: types, lint, format and prose at the same time, because each leaves a core idle
 * now and then. The output of each is printed as a whole.
 */

const checks: readonly Command[] = [
  ['tsc'],
  ['oxlint', '--type-aware', '--deny-warnings'],
  ['biome', 'check'],
  ['node', 'lab/tools/prose/main.ts'],
];

await Promise.all(
  checks.map(async (command) => {
    const { code, output } = await runCommand(command, {});
    process.stdout.write(output);
    if (code === 0) return;
    process.stderr.write(`${command.join(' ')} failed\n`);
    process.exitCode = 1;
  }),
);
