import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Command } from 'commander';
import { countFrom } from '../../support/parse-count.ts';
import { addCounts, type HistoryCounts } from './simulation/play-histories.ts';

const { histories, seed } = new Command('npm run test:rotation --')
  .description(
    'Plays histories of the key rotation that chance picks, a share on each core. Ends with the shortest story that breaks a promise.',
  )
  .option('--histories <n>', 'how many', countFrom(1), 3000)
  .option('--seed <n>', 'plays the same histories again', countFrom(1), 20_261_120)
  .parse()
  .opts<{ histories: number; seed: number }>();
const shares = Math.min(availableParallelism(), histories);

/** The share's seed: each share plays other histories. */
function play(share: number): Promise<HistoryCounts> {
  const workerData = { histories: Math.ceil(histories / shares), seed: seed + share };
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData });
    worker.on('message', resolve);
    worker.on('error', reject);
  });
}

const startedAt = performance.now();
try {
  const counts = await Promise.all(Array.from({ length: shares }, (_, share) => play(share)));
  const { largestJwks, ...total } = counts.reduce(addCounts);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const shown = Object.entries(total)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
  console.info(`figure: rotation: ${shown}, largest JWKS ${largestJwks} keys; ${seconds} s`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
