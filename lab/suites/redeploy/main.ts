import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Cloud, inFreshAccount } from '../../ministack/cloud.ts';
import { installMiniStack } from '../../ministack/ministack.ts';
import { say } from '../../ministack/proof.ts';
import { threeRegionsNames } from '../deploy/three-regions.ts';
import { deployFirst, prepareAccount } from './deployment.ts';
import { proveBrokenRelease, proveFailedUpdates } from './failures.ts';
import { proveFailedFirstDeployments } from './first-deployments.ts';
import { buildRelease } from './release.ts';
import { proveUpdates } from './updates.ts';

/*
 * Deploys over a running service, with success and without, while a client uses it.
 * docs/deployment-test.md says what this proves and what it cannot.
 */

const python = resolve(import.meta.dirname, '../../../.ministack');

function sayTally({ tally }: Cloud): void {
  say(`${tally.deployments} deployments, of which ${tally.failed} failed on purpose`);
}

async function proveLaterDeployments(cloud: Cloud, work: string): Promise<void> {
  const config = await prepareAccount(cloud);
  const build = (number: number, broken?: string) => ({
    bundles: buildRelease(join(work, `release-${number}`), number, broken),
    config,
  });
  const releases = [build(1), build(2)] as const;
  const deployment = await deployFirst(cloud, releases[0]);
  await proveUpdates(deployment, releases);
  await proveFailedUpdates(deployment, releases);
  await proveBrokenRelease(deployment, { broken: build(3, 'token'), repaired: build(4) });
  sayTally(cloud);
  say(`${deployment.service.requests} requests of the client meanwhile, 0 failed`);
}

async function main(work: string): Promise<void> {
  const trouble = installMiniStack(python);
  if (trouble !== undefined) {
    process.stdout.write(`SKIPPED: MiniStack cannot be installed with Python's pip: ${trouble}\n`);
    return;
  }
  process.stdout.write('First deployments that fail:\n');
  await inFreshAccount(python, join(work, 'first'), threeRegionsNames, async (cloud) => {
    const config = await prepareAccount(cloud);
    const bundles = resolve(import.meta.dirname, '../../../dist/lambda');
    await proveFailedFirstDeployments(cloud, { bundles, config });
    sayTally(cloud);
  });
  process.stdout.write('Later deployments:\n');
  const later = join(work, 'later');
  await inFreshAccount(python, later, threeRegionsNames, (cloud) =>
    proveLaterDeployments(cloud, later),
  );
}

const work = mkdtempSync(join(tmpdir(), 'test-redeploy-'));
try {
  await main(work);
} finally {
  rmSync(work, { recursive: true, force: true });
}
