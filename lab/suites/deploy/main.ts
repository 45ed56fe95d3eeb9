import { join } from 'node:path';
import { reportUses } from '../../ministack/permissions/statement-uses.ts';
import { runScenarios } from '../../ministack/scenarios.ts';
import { createdProjectNames, proveCreatedProject } from './created-project.ts';
import { oneRegionNames, proveOneRegion } from './one-region.ts';
import { portalNames, provePortal } from './portal.ts';
import { proveMove, proveThreeRegions, threeRegionsNames } from './three-regions.ts';

/*
 * Deploys with the real `cdk deploy` to MiniStack, an emulator of AWS, and uses what was deployed.
 * docs/deployment-test.md says what this proves and what it cannot. Arguments name scenarios.
 */

const decisions = await runScenarios({
  one: { title: 'One region', names: oneRegionNames, prove: proveOneRegion },
  three: { title: 'Three regions', names: threeRegionsNames, prove: proveThreeRegions },
  move: { title: 'One region that becomes three', names: threeRegionsNames, prove: proveMove },
  created: {
    title: 'A project of npm create',
    names: createdProjectNames,
    prove: (cloud, { folder }) => proveCreatedProject(cloud, folder),
  },
  portal: {
    title: 'The portal next to a service in use',
    names: portalNames,
    prove: (cloud, { folder }) => provePortal(cloud, join(folder, 'tls')),
  },
});
if (decisions.length > 0) {
  process.stdout.write('Permissions:\n');
  reportUses(decisions);
}
