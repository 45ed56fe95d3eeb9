import { parentPort, workerData } from 'node:worker_threads';
import { type Histories, playHistories } from './simulation/play-histories.ts';

const counts = await playHistories(workerData as Histories);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(counts);
