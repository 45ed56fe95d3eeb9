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

/**
 * Keeps so many connections busy: each asks again as soon as it has its answer.
 *
 * @returns how long each answer took, in milliseconds.
 */
export async function keepBusy(
  connections: number,
  isMore: () => boolean,
  send: (agent: Agent) => Promise<unknown>,
): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies: number[] = [];
  const run = async (): Promise<void> => {
    while (isMore()) {
      const start = performance.now();
      await send(agent);
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: connections }, run));
  agent.destroy();
  return latencies;
}

/** Asks for tokens for a time. */
export async function putLoad(options: LoadOptions): Promise<LoadResult> {
  const begin = performance.now();
  const end = begin + options.seconds * 1000;
  const latencies = await keepBusy(
    options.connections,
    () => performance.now() < end,
    (agent) => postForToken(options, agent),
  );
  return {
    requests: latencies.length,
    perSecond: (latencies.length * 1000) / (performance.now() - begin),
    medianMs: median(latencies),
    p99Ms: percentile(latencies, 0.99),
  };
}
