import { Command } from 'commander';
import { runCommand } from '../support/run-command.ts';

new Command('npm run check').description('Checks types, lint, format and prose.').parse();

// At the same time, because each leaves a core idle now and then. The output of each is a whole.
const checks = [
  ['tsc'],
  ['oxlint', '--type-aware', '--deny-warnings'],
  ['biome', 'check'],
  ['node', 'lab/tools/prose/main.ts'],
] as const;

await Promise.all(
  checks.map(async (command) => {
    const { code, output } = await runCommand(command, {});
    process.stdout.write(output);
    if (code === 0) return;
    process.stderr.write(`${command.join(' ')} failed\n`);
    process.exitCode = 1;
  }),
);
