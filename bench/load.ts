import { Agent, request } from 'node:http';
import { median, percentile } from './statistics.ts';

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

export interface LoadOptions {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly connections: number;
  readonly seconds: number;
}

function post(options: LoadOptions, agent: Agent): Promise<void> {
  const { port, path, headers } = options;
  return new Promise((resolve, reject) => {
    const call = request(
      { agent, host: '127.0.0.1', port, path, method: 'POST', headers },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => {
          if (response.statusCode === 200 && text.includes('access_token')) resolve();
          else reject(new Error(`the server answered ${response.statusCode}: ${text}`));
        });
      },
    );
    call.on('error', reject);
    call.end(options.body);
  });
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
      await post(options, agent);
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
