import { join, resolve } from 'node:path';
import type { Cloud } from '../../ministack/cloud.ts';
import { runScenarios, type Scenario } from '../../ministack/scenarios.ts';
import { withoutIndexes } from '../../support/assembly-files.ts';
import { oneRegionNames } from '../deploy/one-region.ts';
import { threeRegionsNames } from '../deploy/three-regions.ts';
import { proveDeclared } from './declared.ts';
import { prepareAccount } from './deployment.ts';
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
import { deployBefore, proveWayBack, updateToNext } from './release-before.ts';
import { proveUpdates } from './updates.ts';

/*
 * Deploys over a running service, with success and without, while a client uses it.
 * docs/deployment-test.md says what this proves and what it cannot. Arguments name scenarios.
 */

const ownBundles = resolve(import.meta.dirname, '../../../dist/lambda');

/** From a release that was deployed. */
async function proveLaterDeployments(cloud: Cloud, folder: string): Promise<void> {
  const kept = await deployBefore(cloud, folder);
  await updateToNext(kept);
  const { deployment, release } = kept;
  const later = (number: number, broken?: string): Release => ({
    ...release,
    bundles: buildRelease(join(folder, `release-${number}`), number, broken),
  });
  const releases = [release, later(3)] as const;
  await proveUpdates(deployment, releases);
  await proveFailedUpdates(deployment, releases);
  await proveBrokenRelease(deployment, { broken: later(4, 'token'), repaired: later(5) });
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
  back: scenario('A release without its index, and back', async (cloud, { folder }) => {
    const kept = await deployBefore(cloud, folder, withoutIndexes);
    await proveIndexLeftBehind(kept.deployment, kept.release);
    cloud.holdIndexes();
    await updateToNext(kept);
    await proveIndexFilled(kept.deployment);
    await proveWayBack(kept);
  }),
  config: scenario('The config of another service', async (cloud, { folder }) => {
    const kept = await deployBefore(cloud, folder);
    await proveOtherConfigRefused(kept);
    await updateToNext(kept);
    await proveOtherConfigRefused(kept);
    await proveMeantChange(kept);
  }),
  switches: scenario(
    'The release before again, every switch off and on, and a stack that is destroyed',
    async (cloud, { folder, bin }) => {
      const kept = await deployBefore(cloud, folder);
      await updateToNext(kept);
      await proveReleaseAndBack(kept);
      await proveSwitches(kept);
      await proveDestroyed(kept, bin);
    },
  ),
  later: scenario('Later deployments', (cloud, { folder }) => proveLaterDeployments(cloud, folder)),
};

await runScenarios(scenarios);
