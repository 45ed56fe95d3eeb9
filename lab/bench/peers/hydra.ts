import { generateKeyPairSync } from 'node:crypto';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../emulator/loopback-server.ts';
import { runOrThrow } from '../../support/run-command.ts';
import { answers, waitUntil } from '../../support/wait-until.ts';
import {
  type Peer,
  peerClient,
  type RunningPeer,
  sizeOf,
  startPeerProcess,
  toRunningPeer,
} from './peer.ts';

const hydraVersion = '2.3.0';

/** Its own key has 4,096 bits, which makes a signature five times as expensive. */
function createKeySet(): object {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = privateKey.export({ format: 'jwk' });
  return { keys: [{ ...jwk, kid: 'bench', alg: 'RS256', use: 'sig' }] };
}

const client = {
  client_id: peerClient.clientId,
  client_secret: peerClient.clientSecret,
  grant_types: ['client_credentials'],
  scope: peerClient.scope,
  token_endpoint_auth_method: 'client_secret_basic',
};

function createConfig(publicPort: number, adminPort: number): object {
  const at = (port: number) => ({ host: '127.0.0.1', port });
  return {
    dsn: 'memory',
    serve: { public: at(publicPort), admin: at(adminPort) },
    urls: { self: { issuer: `http://127.0.0.1:${publicPort}` } },
    strategies: { access_token: 'jwt' },
    secrets: { system: ['a-secret-of-the-benchmark'] },
    // Our secrets are random and long, and hashed once.
    oauth2: { hashers: { algorithm: 'pbkdf2', pbkdf2: { iterations: 1 } } },
    log: { level: 'error' },
    sqa: { opt_out: true },
  };
}

async function sendJson(method: 'PUT' | 'POST', url: string, body: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
}

async function startHydra(folder: string, binary: string): Promise<RunningPeer> {
  const [publicPort, adminPort] = [await findFreePort(), await findFreePort()];
  const config = join(folder, 'hydra.json');
  writeFileSync(config, JSON.stringify(createConfig(publicPort, adminPort)));
  // In the development mode it serves HTTP.
  const child = startPeerProcess(binary, ['serve', 'all', '--dev', '--config', config], folder);
  const admin = `http://127.0.0.1:${adminPort}`;
  const isReady = () => answers(`${admin}/health/ready`);
  await waitUntil('hydra is ready', isReady, { child, interval: 10 });
  await sendJson('PUT', `${admin}/admin/keys/hydra.jwt.access-token`, createKeySet());
  await sendJson('POST', `${admin}/admin/clients`, client);
  return toRunningPeer(child, { port: publicPort, path: '/oauth2/token' });
}

export const hydra: Peer = {
  name: 'Ory Hydra',
  version: hydraVersion,
  settings: 'SQLite in memory, JWT access tokens, key of 2,048 bits, PBKDF2 of one iteration',
  signs: 'go',
  async install(folder) {
    cpSync(join(import.meta.dirname, 'hydra'), folder, { recursive: true });
    const binary = join(folder, 'hydra');
    // Modules and objects that were built before are found again in Go's own cache.
    const args = ['build', '-mod=readonly', '-tags', 'sqlite', '-o', binary];
    await runOrThrow(['go', ...args, 'github.com/ory/hydra/v2'], { cwd: folder });
    return { bytes: await sizeOf(binary), start: () => startHydra(folder, binary) };
  },
};
