import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { tokenPath } from '../../../contract/routes.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { runOrThrow } from '../../support/run-command.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { buildFunction } from '../build.ts';
import { clientId, environments, secretValue } from '../scenario.ts';
import { startServer } from '../servers/start-server.ts';
import type { InstalledPeer, Peer, RunningPeer } from './peer.ts';
import { endProcess, sizeOf, startPeerProcess } from './peer-process.ts';

const root = resolve(import.meta.dirname, '../../..');
const scope = 'messaging:view';

/** A server of lab/bench/servers, with its key and its client in memory. */
async function startInMemory(file: string): Promise<RunningPeer> {
  const variables = { BENCH_PLACE: 'memory', ...environments.token };
  const { child, started, close } = await startServer(file, variables);
  return {
    pid: child.pid ?? 0,
    tokenUrl: new URL(`http://127.0.0.1:${started.port}${tokenPath}`),
    clientId,
    clientSecret: secretValue,
    scope,
    close,
  };
}

function server(file: string, bytes: () => Promise<number>): Peer['install'] {
  return async (): Promise<InstalledPeer> => ({
    bytes: await bytes(),
    start: () => startInMemory(file),
  });
}

export const bareServer: Peer = {
  name: 'bare node:http that signs',
  version: process.version,
  settings: 'reads the body, signs as many bytes, answers as many',
  signs: 'node',
  install: server('bare-server.ts', () => Promise.resolve(0)),
};

export const ours: Peer = {
  name: 'our handler in node:http',
  version: 'this commit',
  settings: 'key and client in memory; the log line is written',
  signs: 'node',
  install: server('our-server.ts', async () => buildFunction('token').bytes),
};

const oidcProviderVersion = manifest.devDependencies['oidc-provider'];

export const oidcProvider: Peer = {
  name: 'node-oidc-provider',
  version: oidcProviderVersion,
  settings: 'client in the configuration, key in memory, JWT by RFC 9068',
  signs: 'node',
  async install(folder) {
    const name = `oidc-provider@${oidcProviderVersion}`;
    await runOrThrow(['npm', 'install', '--no-audit', '--no-fund', '--prefix', folder, name]);
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
  const variables = parseEnv(readFileSync(file, 'utf8'));
  return {
    pid: child.pid,
    tokenUrl: new URL(variables['TOKEN_URL'] ?? ''),
    clientId: variables['CLIENT_ID'] ?? '',
    clientSecret: variables['CLIENT_SECRET'] ?? '',
    scope,
    close: () => endProcess(child),
  };
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
