import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { addCounts, type HistoryCounts } from '../../test/support/rotation/play-histories.ts';

/**
 * Plays thousands of histories of the key rotation, a share on each core, and ends with the
 * shortest story that breaks a promise. `--seed` plays the same histories again; `--kind` allows
 * only some troubles.
 */

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '3000' },
    seed: { type: 'string', default: '20261120' },
    kind: { type: 'string', multiple: true },
  },
});

const histories = Number(values.histories);
const seed = Number(values.seed);
const shares = Math.min(availableParallelism(), histories);

/** The share's seed: each share plays other histories. */
function play(share: number): Promise<HistoryCounts> {
  const workerData = {
    histories: Math.ceil(histories / shares),
    seed: seed + share,
    kinds: values.kind === undefined ? undefined : new Set(values.kind),
  };
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
