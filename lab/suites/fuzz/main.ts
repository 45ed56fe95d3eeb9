import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { countFrom } from '../../support/parse-count.ts';

const { runs } = new Command('npm run test:all -- fuzz')
  .description('Makes the tests of test/fuzz with far more inputs than `npm test` makes.')
  .option('--runs <n>', 'inputs of each parser', countFrom(1), 40_000)
  .parse()
  .opts<{ readonly runs: number }>();
const root = resolve(import.meta.dirname, '../../..');
const { status } = spawnSync(
  process.execPath,
  [resolve(root, 'node_modules/.bin/vitest'), 'run', '--project=unit', 'test/fuzz'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, FUZZ_RUNS: String(runs) } },
);
process.exitCode = status ?? 1;
