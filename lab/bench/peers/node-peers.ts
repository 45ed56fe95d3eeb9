import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { tokenPath } from '../../../contract/routes.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { runOrThrow } from '../../support/run-command.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { buildFunction, root } from '../build.ts';
import { createTokenPost } from '../load/token-load.ts';
import { environments } from '../scenario.ts';
import { startServer } from '../servers/start-server.ts';
import { type Peer, type RunningPeer, sizeOf, startPeerProcess, toRunningPeer } from './peer.ts';

/** A server of lab/bench/servers, with its key and its client in memory. */
async function startInMemory(file: string): Promise<RunningPeer> {
  const variables = { BENCH_PLACE: 'memory', ...environments.token };
  const { child, started, close } = await startServer(file, variables);
  const post = createTokenPost({ port: started.port, path: tokenPath });
  return { pid: child.pid ?? 0, post, close };
}

export const bareServer: Peer = {
  name: 'bare node:http that signs',
  version: process.version,
  settings: 'reads the body, signs as many bytes, answers as many',
  signs: 'node',
  install: async () => ({ bytes: 0, start: () => startInMemory('bare-server.ts') }),
};

export const ours: Peer = {
  name: 'our handler in node:http',
  version: 'this commit',
  settings: 'key and client in memory; the log line is written',
  signs: 'node',
  install: async () => ({
    bytes: buildFunction('token').bytes,
    start: () => startInMemory('our-server.ts'),
  }),
};

const oidcProviderVersion = manifest.devDependencies['oidc-provider'];

export const oidcProvider: Peer = {
  name: 'node-oidc-provider',
  version: oidcProviderVersion,
  settings: 'client in the configuration, key in memory, JWT by RFC 9068',
  signs: 'node',
  async install(folder) {
    const name = `oidc-provider@${oidcProviderVersion}`;
    const flags = ['--no-audit', '--no-fund', '--strict-allow-scripts', '--prefix', folder];
    await runOrThrow(['npm', 'install', ...flags, name]);
    const bytes = await sizeOf(join(folder, 'node_modules'));
    return { bytes, start: () => startInMemory('oidc-provider-server.ts') };
  },
};

/** `npm start` in a process of its own, with its state in a folder. */
export async function startLocalRun(folder: string): Promise<RunningPeer> {
  const args = [join(root, 'lab/local/main.ts'), '--state', folder];
  const child = startPeerProcess(process.execPath, args, root, { PORT: '0' });
  const file = join(folder, 'demo.env');
  await waitUntil(`${file} is there`, () => existsSync(file), { child, interval: 10 });
  const {
    TOKEN_URL = '',
    CLIENT_ID = '',
    CLIENT_SECRET = '',
  } = parseEnv(readFileSync(file, 'utf8'));
  const { port, pathname: path } = new URL(TOKEN_URL);
  const client = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
  return toRunningPeer(child, { port: Number(port), path }, client);
}

export const localRun: Peer = {
  name: '`npm start`',
  version: 'this commit',
  settings: 'with its gateway, DynamoDB and KMS in the same process',
  signs: 'node',
  async install(folder) {
    return { bytes: await sizeOf(join(root, 'node_modules')), start: () => startLocalRun(folder) };
  },
};
