import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Pinned together: a newer MiniStack may deploy more, or less. `cryptography` signs for its KMS. */
const packages = ['ministack==1.5.33', 'hypercorn==0.18.0', 'cryptography==50.0.2'];

/** A start takes about two seconds; a busy machine takes longer. */
const startTimeout = 60_000;

export interface MiniStack {
  readonly endpoint: string;
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Installs MiniStack into a folder with Python's pip.
 *
 * @returns false where Python or its package index cannot be had.
 */
export function installMiniStack(directory: string): boolean {
  try {
    execFileSync('python3', ['-m', 'venv', directory], { stdio: 'ignore' });
    execFileSync(join(directory, 'bin/pip'), ['install', '--quiet', ...packages], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

/** Starts MiniStack on a free port of loopback. Its functions run on this process's Node.js. */
export async function startMiniStack(directory: string, root: string): Promise<MiniStack> {
  const port = await freePort();
  const child = spawn(join(directory, 'bin/ministack'), [], {
    cwd: directory,
    detached: true,
    env: {
      PATH: [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
      HOME: directory,
      // CDK's own trigger loads the SDK, which Lambda has and the emulator has not.
      NODE_PATH: join(root, 'node_modules'),
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(join(directory, 'ministack.log'));
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  const endpoint = `http://127.0.0.1:${port}`;
  const stop = () => stopProcessGroup(child);
  try {
    await waitFor(`${endpoint}/_ministack/health`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, port, stop };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}

async function waitFor(url: string): Promise<void> {
  const deadline = Date.now() + startTimeout;
  while (Date.now() < deadline) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return;
    await sleep(200);
  }
  throw new Error(`MiniStack did not answer at ${url} within ${startTimeout / 1000} s`);
}

/** Its functions are processes of their own, in its group. */
async function stopProcessGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}
