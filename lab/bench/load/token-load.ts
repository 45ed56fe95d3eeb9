import { Agent } from 'node:http';

/**
 * Keeps so many connections busy: each asks again when it has its answer.
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
