import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';
import { findFreePort } from '../../emulator/loopback-server.ts';
import { runCommand } from '../../support/run-command.ts';
import { answers, waitUntil } from '../../support/wait-until.ts';

/*
 * Runs the tests of the adapters, of authctl, of the rotation and of the procedures against
 * DynamoDB Local, which is AWS's own engine, in place of dynalite.
 */

const root = resolve(import.meta.dirname, '../../..');
const project = join(root, 'lab/suites/dynamodb-local/pom.xml');
const installed = join(root, '.ministack/dynamodb-local');

const suites = ['adapters', 'cli', 'lambda', 'procedures'].map(
  (name) => `test/integration/${name}`,
);

/** @returns why DynamoDB Local cannot be installed, or nothing. */
async function install(): Promise<string | undefined> {
  const java = await runCommand(['javac', '-version']);
  if (java.code !== 0) return 'there is no Java development kit';
  const ready = join(installed, 'pom.xml');
  if (existsSync(ready) && readFileSync(ready, 'utf8') === readFileSync(project, 'utf8')) {
    return undefined;
  }
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  const copy = ['dependency:copy-dependencies', `-DoutputDirectory=${join(installed, 'lib')}`];
  const maven = await runCommand(['mvn', '-q', '-B', '-f', project, ...copy]);
  if (maven.code !== 0) return 'Maven cannot download it';
  // Last, as it says that everything before has been done.
  copyFileSync(project, ready);
  return undefined;
}

/** @throws {Error} if another address of this machine answers: DynamoDB Local has no password. */
async function assertOnlyLoopback(port: number): Promise<void> {
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list);
  for (const { address, family, internal } of addresses) {
    if (internal || family !== 'IPv4') continue;
    const url = `http://${address}:${port}/`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
    if (answer !== undefined) throw new Error(`DynamoDB Local answers at ${url}`);
  }
}

async function start(port: number): Promise<ChildProcess> {
  const lib = join(installed, 'lib');
  const child = spawn(
    'java',
    [
      `-Djava.library.path=${lib}`,
      '-cp',
      join(lib, '*'),
      join(root, 'lab/suites/dynamodb-local/LoopbackServer.java'),
      '-inMemory',
      '-disableTelemetry',
      '-port',
      String(port),
    ],
    { stdio: 'ignore' },
  );
  try {
    // An unsigned request is refused, which is an answer.
    const ask = () => answers(`http://127.0.0.1:${port}/`, () => true);
    await waitUntil('DynamoDB Local answers', ask, { child, interval: 200 });
    await assertOnlyLoopback(port);
    return child;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

function runTests(endpoint: string, files: readonly string[]): Promise<number> {
  const vitest = join(root, 'node_modules/.bin/vitest');
  const child = spawn(vitest, ['run', '--project=integration', ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, DYNAMODB_LOCAL_ENDPOINT: endpoint },
  });
  return new Promise((done) => child.once('close', (code) => done(code ?? 1)));
}

const trouble = await install();
if (trouble === undefined) {
  const port = await findFreePort();
  const server = await start(port);
  try {
    const files = process.argv.slice(2);
    process.exitCode = await runTests(
      `http://127.0.0.1:${port}`,
      files.length === 0 ? suites : files,
    );
  } finally {
    server.kill('SIGKILL');
  }
} else {
  process.stdout.write(`SKIPPED: DynamoDB Local does not run: ${trouble}\n`);
}
