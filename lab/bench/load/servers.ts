import { tokenPath } from '../../../contract/routes.ts';
import type { Backend } from '../backend/backend.ts';
import { startLocalRun } from '../peers/node-peers.ts';
import {
  backendEnvironment,
  clientItem,
  createClient,
  createItems,
  environments,
  usualDelays,
  usualSize,
} from '../scenario.ts';
import { startServer } from '../servers/start-server.ts';
import { createTokenPost, type TokenPost } from './token-load.ts';

/** A server under load. */
export interface LoadedServer {
  readonly pid: number;
  /** @param client its index; servers that have only one client have it ask for all. */
  postOf(client: number): TokenPost;
  close(): Promise<void>;
}

const clientIdOf = (index: number) => `client_${String(index).padStart(22, '0')}`;

/** Gives the stubs their delays, and DynamoDB so many clients. */
export async function prepareBackend(backend: Backend, clients: number): Promise<void> {
  const items = Array.from({ length: clients }, (_, index) => {
    return clientItem({ ...createClient(usualSize), clientId: clientIdOf(index) });
  });
  const all = [...createItems(backend), ...items];
  await backend.command({ items: all, delays: usualDelays, keepsItems: true });
}

/** Where tokens are kept for equal requests. */
export type Reuse = 'off' | 'each instance its own';

const reuseVariables: Readonly<Record<Reuse, Readonly<Record<string, string>>>> = {
  off: {},
  'each instance its own': { AUTH_TOKEN_REUSE_SHARE: '0.5' },
};

/** The token function in a bare server, with KMS and DynamoDB behind stubs. */
export async function startFunction(backend: Backend, reuse: Reuse = 'off'): Promise<LoadedServer> {
  const { child, started, close } = await startServer('our-server.ts', {
    ...backendEnvironment(backend),
    ...environments.token,
    BENCH_PLACE: 'aws',
    ...reuseVariables[reuse],
  });
  const at = { port: started.port, path: tokenPath };
  const postOf = (client: number) => createTokenPost(at, clientIdOf(client));
  return { pid: child.pid ?? 0, postOf, close };
}

/** `npm start`, which has one client. */
export async function startLocalService(folder: string): Promise<LoadedServer> {
  const { pid, post, close } = await startLocalRun(folder);
  return { pid, postOf: () => post, close };
}
