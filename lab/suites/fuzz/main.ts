import { Command } from 'commander';
import { countFrom } from '../../support/parse-count.ts';
import { runVitest } from '../../support/run-vitest.ts';

const { runs } = new Command('npm run test:all -- fuzz')
  .description('Runs test/fuzz with far more inputs than `npm test` makes.')
  .option('--runs <n>', 'inputs of each parser', countFrom(1), 40_000)
  .parse()
  .opts<{ readonly runs: number }>();
process.exitCode = runVitest(['--project', 'unit', 'test/fuzz'], { FUZZ_RUNS: String(runs) });
