import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Cloud } from '../../ministack/cloud.ts';
import { inFreshAccount } from '../../ministack/fresh-account.ts';
import { makePythonEnvironment } from '../../ministack/ministack.ts';
import { say } from '../../ministack/proof.ts';
import { withoutIndexes } from '../../support/releases/kept-release.ts';
import { threeRegionsNames } from '../deploy/three-regions.ts';
import { prepareAccount } from './deployment.ts';
import { proveBrokenRelease, proveFailedUpdates } from './failures.ts';
import { proveFailedFirstDeployments } from './first-deployments.ts';
import { proveIndexFilled, proveIndexLeftBehind } from './indexes.ts';
import { deployKept, proveWayBack, updateKept } from './kept-releases.ts';
import {
  proveDestroyed,
  proveMeantChange,
  proveOtherConfigRefused,
  proveReleaseAndBack,
  proveSwitches,
} from './off-and-on.ts';
import { buildRelease, type Release } from './release.ts';
import { proveUpdates } from './updates.ts';

/*
 * Deploys over a running service, with success and without, while a client uses it.
 * docs/deployment-test.md says what this proves and what it cannot. Arguments name scenarios.
 */

const root = resolve(import.meta.dirname, '../../..');
const python = join(root, '.ministack');
const ownBundles = join(root, 'dist/lambda');

function sayTally({ tally }: Cloud): void {
  say(`${tally.deployments} deployments, of which ${tally.failed} failed on purpose`);
}

/** From what the release before deployed. */
async function proveLaterDeployments(cloud: Cloud, work: string): Promise<void> {
  const build = (number: number, broken?: string) =>
    buildRelease(join(work, `release-${number}`), number, broken);
  const first = { bundles: build(1) };
  const kept = await deployKept(cloud, '0.2.0', first);
  await updateKept(kept);
  const { deployment, release } = kept;
  const later = (number: number, broken?: string): Release => ({
    ...release,
    bundles: build(number, broken),
  });
  const releases = [release, later(2)] as const;
  await proveUpdates(deployment, releases);
  await proveFailedUpdates(deployment, releases);
  await proveBrokenRelease(deployment, { broken: later(3, 'token'), repaired: later(4) });
  say(`${deployment.service.requests} requests of the client meanwhile, 0 failed`);
}

interface Scenario {
  readonly title: string;
  readonly prove: (cloud: Cloud, folder: string) => Promise<void>;
}

const scenarios: Readonly<Record<string, Scenario>> = {
  first: {
    title: 'First deployments that fail',
    prove: async (cloud) => {
      const config = await prepareAccount(cloud);
      await proveFailedFirstDeployments(cloud, { bundles: ownBundles, config });
    },
  },
  back: {
    title: 'The release before without its index, and back',
    prove: async (cloud, folder) => {
      // Not the bundles of dist: one that equals the kept one publishes no version.
      const bundles = buildRelease(join(folder, 'bundles'), 1);
      const kept = await deployKept(cloud, '0.2.0', { bundles, before: withoutIndexes });
      await proveIndexLeftBehind(kept.deployment, kept.release);
      cloud.holdIndexes();
      await updateKept(kept);
      await proveIndexFilled(kept.deployment);
      await proveWayBack(kept);
    },
  },
  config: {
    title: 'The config of another service',
    prove: async (cloud, folder) => {
      const bundles = buildRelease(join(folder, 'bundles'), 1);
      const kept = await deployKept(cloud, '0.2.0', { bundles });
      await proveOtherConfigRefused(kept);
      await updateKept(kept);
      await proveOtherConfigRefused(kept);
      await proveMeantChange(kept);
      say(`${kept.deployment.service.requests} requests of the client meanwhile, 0 failed`);
    },
  },
  switches: {
    title: 'The release before again, every switch off and on, and a stack that is destroyed',
    prove: async (cloud, folder) => {
      const bundles = buildRelease(join(folder, 'bundles'), 1);
      const kept = await deployKept(cloud, '0.2.0', { bundles });
      await updateKept(kept);
      await proveReleaseAndBack(kept);
      await proveSwitches(kept);
      say(`${kept.deployment.service.requests} requests of the client meanwhile, 0 failed`);
      await proveDestroyed(kept, join(python, 'bin'));
    },
  },
  later: { title: 'Later deployments', prove: proveLaterDeployments },
};

async function runScenario(name: string, folder: string): Promise<void> {
  const scenario = scenarios[name];
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  process.stdout.write(`${scenario.title}:\n`);
  await inFreshAccount(python, folder, threeRegionsNames, async (cloud) => {
    await scenario.prove(cloud, folder);
    sayTally(cloud);
  });
}

async function runScenarios(names: readonly string[]): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'test-redeploy-'));
  try {
    for (const name of names) await runScenario(name, join(work, name));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
const trouble = makePythonEnvironment(python);
if (trouble === undefined) await runScenarios(wanted.length > 0 ? wanted : Object.keys(scenarios));
else {
  process.stdout.write(`SKIPPED: MiniStack cannot be installed with Python's pip: ${trouble}\n`);
}
