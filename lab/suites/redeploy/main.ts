import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Cloud, inFreshAccount } from '../../ministack/cloud.ts';
import { installMiniStack } from '../../ministack/ministack.ts';
import { say } from '../../ministack/proof.ts';
import { threeRegionsNames } from '../deploy/three-regions.ts';
import { prepareAccount } from './deployment.ts';
import { proveBrokenRelease, proveFailedUpdates } from './failures.ts';
import { proveFailedFirstDeployments } from './first-deployments.ts';
import { proveWayBack, updateFromRelease } from './kept-releases.ts';
import { buildRelease, type Release } from './release.ts';
import { proveUpdates } from './updates.ts';

/*
 * Deploys over a running service, with success and without, while a client uses it.
 * docs/deployment-test.md says what this proves and what it cannot.
 */

const python = resolve(import.meta.dirname, '../../../.ministack');

function sayTally({ tally }: Cloud): void {
  say(`${tally.deployments} deployments, of which ${tally.failed} failed on purpose`);
}

/** From what c785603 deployed. */
async function proveLaterDeployments(cloud: Cloud, work: string): Promise<void> {
  const build = (number: number, broken?: string) =>
    buildRelease(join(work, `release-${number}`), number, broken);
  const first = { bundles: build(1) };
  const { deployment, release } = await updateFromRelease(cloud, 'c785603', first);
  const later = (number: number, broken?: string): Release => ({
    ...release,
    bundles: build(number, broken),
  });
  const releases = [release, later(2)] as const;
  await proveUpdates(deployment, releases);
  await proveFailedUpdates(deployment, releases);
  await proveBrokenRelease(deployment, { broken: later(3, 'token'), repaired: later(4) });
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
  process.stdout.write('The first release, and back:\n');
  await inFreshAccount(python, join(work, 'back'), threeRegionsNames, async (cloud) => {
    const updated = await updateFromRelease(cloud, '2648148', {
      bundles: resolve(import.meta.dirname, '../../../dist/lambda'),
      added: { createdWith: '2648148' },
    });
    await proveWayBack(updated);
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
