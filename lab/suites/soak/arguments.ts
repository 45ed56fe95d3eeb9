import { Command } from 'commander';
import { countFrom } from '../../support/parse-count.ts';

/** Below, a fault is over before requests have met it, and the heap is still growing into its size. */
const minSeconds = 60;

export interface SoakArguments {
  readonly seconds: number;
  readonly requests: number;
}

/** Reads the options; ends the process if they are wrong or ask for help. */
export function readArguments(): SoakArguments {
  return new Command('npm run test:all -- soak')
    .description('Mixed traffic on the local run while things break and heal.')
    .option('--seconds <n>', `at most so long, from ${minSeconds}`, countFrom(minSeconds), 180)
    .option('--requests <n>', 'at most so many', countFrom(1), 200_000)
    .parse()
    .opts<SoakArguments>();
}
