import { Agent } from 'node:http';
import { median, percentile } from '../statistics.ts';
import { postForToken, type TokenPost } from './post.ts';

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

export interface LoadOptions extends TokenPost {
  readonly connections: number;
  readonly seconds: number;
}

/** Keeps so many connections busy: each asks again as soon as it has its answer. */
export async function putLoad(options: LoadOptions): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const latencies: number[] = [];
  const begin = performance.now();
  const end = begin + options.seconds * 1000;
  const run = async (): Promise<void> => {
    while (performance.now() < end) {
      const start = performance.now();
      await postForToken(options, agent);
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: options.connections }, run));
  agent.destroy();
  return {
    requests: latencies.length,
    perSecond: (latencies.length * 1000) / (performance.now() - begin),
    medianMs: median(latencies),
    p99Ms: percentile(latencies, 0.99),
  };
}
