import { rmSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../emulator/loopback-server.ts';
import { OutputProcess } from '../../support/output-process.ts';
import { runCommand } from '../../support/run-command.ts';
import { runVitest } from '../../support/run-vitest.ts';
import { cacheFolder, runMaven } from '../../support/runtimes.ts';
import { answers, waitUntil } from '../../support/wait-until.ts';

/*
 * Runs the tests of the adapters, of authctl, of the rotation and of the procedures against
 * DynamoDB Local, which is AWS's own engine, in place of dynalite.
 */

/** With `pom.xml`, which names its version. */
const project = import.meta.dirname;
const installed = cacheFolder('dynamodb-local');
const lib = join(installed, 'lib');

const suites = ['adapters', 'cli', 'lambda', 'procedures'].map(
  (name) => `test/integration/${name}`,
);

/** @returns what DynamoDB Local needs and this machine lacks, or nothing. */
async function install(): Promise<string | undefined> {
  const java = await runCommand(['javac', '-version']);
  if (java.code !== 0) return 'a Java development kit';
  // Maven adds to the folder, and Java would load other versions of before.
  rmSync(lib, { recursive: true, force: true });
  return runMaven(project, installed, 'dependency:copy-dependencies', `-DoutputDirectory=${lib}`);
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

async function start(port: number): Promise<OutputProcess> {
  const java = [`-Djava.library.path=${lib}`, '-cp', join(lib, '*')];
  const server = [join(project, 'LoopbackServer.java'), '-inMemory', '-disableTelemetry'];
  const running = new OutputProcess(['java', ...java, ...server, '-port', String(port)], {
    env: process.env,
  });
  try {
    // An unsigned request is refused, which is an answer.
    const ask = () => answers(`http://127.0.0.1:${port}/`, () => true);
    await waitUntil('DynamoDB Local answers', ask, { child: running.child, interval: 200 });
    await assertOnlyLoopback(port);
    return running;
  } catch (error) {
    await running.stop('SIGKILL');
    throw error;
  }
}

const missing = await install();
if (missing === undefined) {
  const port = await findFreePort();
  const server = await start(port);
  try {
    const files = process.argv.slice(2);
    process.exitCode = runVitest(
      ['--project=integration*', ...(files.length === 0 ? suites : files)],
      { DYNAMODB_LOCAL_ENDPOINT: `http://127.0.0.1:${port}` },
    );
  } finally {
    await server.stop('SIGKILL');
  }
} else {
  process.stdout.write(`SKIPPED: DynamoDB Local does not run, for want of ${missing}\n`);
}
