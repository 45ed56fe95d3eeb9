import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Cloud } from '../../ministack/cloud.ts';
import { runScenarios, type Scenario } from '../../ministack/scenarios.ts';
import {
  type AssemblyFiles,
  withoutIndexes,
} from '../../support/earlier-version/assembly-files.ts';
import { buildEarlierVersion } from '../../support/earlier-version/build.ts';
import { earlierCommit } from '../../support/earlier-version/commit.ts';
import { oneRegionNames } from '../deploy/one-region.ts';
import { threeRegionsNames } from '../deploy/three-regions.ts';
import { proveDeclared } from './declared.ts';
import { prepareAccount } from './deployment.ts';
import {
  deployEarlier,
  type EarlierInUse,
  proveWayBack,
  updateEarlier,
} from './earlier-version.ts';
import { proveBrokenRelease, proveFailedUpdates } from './failures.ts';
import { proveFailedFirstDeployments } from './first-deployments.ts';
import { proveIndexFilled, proveIndexLeftBehind } from './indexes.ts';
import {
  proveDestroyed,
  proveMeantChange,
  proveOtherConfigRefused,
  proveReleaseAndBack,
  proveSwitches,
} from './off-and-on.ts';
import { buildRelease, type Release } from './release.ts';
import { proveTemplates } from './templates.ts';
import { proveUpdates } from './updates.ts';

/*
 * Deploys over a running service, with success and without, while a client uses it.
 * docs/deployment-test.md says what this proves and what it cannot. Arguments name scenarios, and the
 * version from which the updates start: `redeploy v1.0.0`.
 */

const ownBundles = resolve(import.meta.dirname, '../../../dist/lambda');

/** Deploys the earlier version, and builds this one for it. */
function deployBefore(
  cloud: Cloud,
  folder: string,
  before?: (files: AssemblyFiles) => AssemblyFiles,
): Promise<EarlierInUse> {
  // Not the bundles of dist: one that equals that of before publishes no version.
  return deployEarlier(cloud, buildEarlierVersion(ref, folder), {
    bundles: buildRelease(join(folder, 'release-1'), 1),
    before,
  });
}

/** From what the earlier version deployed. */
async function proveLaterDeployments(cloud: Cloud, folder: string): Promise<void> {
  const kept = await deployBefore(cloud, folder);
  await updateEarlier(kept);
  const { deployment, release } = kept;
  const later = (number: number, broken?: string): Release => ({
    ...release,
    bundles: buildRelease(join(folder, `release-${number}`), number, broken),
  });
  const releases = [release, later(2)] as const;
  await proveUpdates(deployment, releases);
  await proveFailedUpdates(deployment, releases);
  await proveBrokenRelease(deployment, { broken: later(3, 'token'), repaired: later(4) });
}

const scenario = (title: string, prove: Scenario['prove']): Scenario => ({
  title,
  names: threeRegionsNames,
  prove,
});

const scenarios = {
  first: scenario('First deployments that fail', async (cloud) => {
    const config = await prepareAccount(cloud);
    await proveFailedFirstDeployments(cloud, { bundles: ownBundles, config });
  }),
  declared: {
    ...scenario('Clients that a stack declares', async (cloud) => {
      const config = await prepareAccount(cloud);
      await proveDeclared(cloud, { bundles: ownBundles, config });
    }),
    names: [...threeRegionsNames, ...oneRegionNames],
  },
  back: scenario('The earlier version without its index, and back', async (cloud, { folder }) => {
    const kept = await deployBefore(cloud, folder, withoutIndexes);
    await proveIndexLeftBehind(kept.deployment, kept.release);
    cloud.holdIndexes();
    await updateEarlier(kept);
    await proveIndexFilled(kept.deployment);
    await proveWayBack(kept);
  }),
  config: scenario('The config of another service', async (cloud, { folder }) => {
    const kept = await deployBefore(cloud, folder);
    await proveOtherConfigRefused(kept);
    await updateEarlier(kept);
    await proveOtherConfigRefused(kept);
    await proveMeantChange(kept);
  }),
  switches: scenario(
    'The earlier version again, every switch off and on, and a stack that is destroyed',
    async (cloud, { folder, bin }) => {
      const kept = await deployBefore(cloud, folder);
      await updateEarlier(kept);
      await proveReleaseAndBack(kept);
      await proveSwitches(kept);
      await proveDestroyed(kept, bin);
    },
  ),
  later: scenario('Later deployments', (cloud, { folder }) => proveLaterDeployments(cloud, folder)),
};

/** It deploys nothing, so it needs no account. */
const templates = 'templates';

function isScenario(name: string): boolean {
  return name === templates || name in scenarios;
}

const named = process.argv.slice(2);
const ref = named.find((name) => !isScenario(name)) ?? earlierCommit;
const names = named.filter(isScenario);
const chosen = names.length > 0 ? names : [templates, ...Object.keys(scenarios)];
if (chosen.includes(templates)) {
  process.stdout.write('What an update would replace or remove:\n');
  using work = mkdtempDisposableSync(join(tmpdir(), 'templates-'));
  proveTemplates(buildEarlierVersion(ref, work.path));
}
// Named none, it runs all.
const deployed = chosen.filter((name) => name !== templates);
if (deployed.length > 0) await runScenarios(scenarios, deployed);
