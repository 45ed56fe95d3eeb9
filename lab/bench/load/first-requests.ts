import { Agent } from 'node:http';
import { startBackend } from '../backend/backend.ts';
import { postForToken } from './post.ts';
import { prepareBackend, type Reuse, startFunction } from './servers.ts';
import type { FirstRequests } from './table.ts';

const cases: readonly (readonly [Reuse, number, number])[] = [
  ['off', 1, 50],
  ['each instance its own', 1, 50],
  ['each instance its own', 4, 50],
  ['shared', 1, 50],
  ['shared', 4, 50],
];

async function measureOnce(
  reuse: Reuse,
  instances: number,
  requests: number,
): Promise<FirstRequests> {
  const backend = await startBackend();
  try {
    await prepareBackend(backend, 1);
    const servers = await Promise.all(
      Array.from({ length: instances }, () => startFunction(backend, reuse)),
    );
    await backend.command({});
    const agent = new Agent({ keepAlive: false });
    const answers = await Promise.allSettled(
      Array.from({ length: requests }, (_, index) => {
        const server = servers[index % instances];
        if (server === undefined) throw new Error(`there is no instance ${index % instances}`);
        return postForToken(server.postOf(0), agent);
      }),
    );
    const { Sign: signatures = 0 } = await backend.command({});
    await Promise.all(servers.map((server) => server.close()));
    const errors = answers.filter(({ status }) => status === 'rejected').length;
    return { reuse, instances, requests, signatures, errors };
  } finally {
    await backend.close();
  }
}

/** One client asks many times at once, and no instance has a token of it. */
export async function measureFirstRequests(): Promise<readonly FirstRequests[]> {
  const rows: FirstRequests[] = [];
  for (const each of cases) rows.push(await measureOnce(...each));
  return rows;
}
