import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { DecidedRequest } from '../../emulator/iam/access-control.ts';
import type { Cloud } from '../../ministack/cloud.ts';
import { inFreshAccount } from '../../ministack/fresh-account.ts';
import { installMiniStack } from '../../ministack/ministack.ts';
import { reportUses } from '../../ministack/permissions/report-uses.ts';
import { createdProjectNames, proveCreatedProject } from './created-project.ts';
import { proveMove } from './move-regions.ts';
import { oneRegionNames, proveOneRegion } from './one-region.ts';
import { portalNames, provePortal } from './portal.ts';
import { proveThreeRegions, threeRegionsNames } from './three-regions.ts';

/*
 * Deploys with the real `cdk deploy` to MiniStack, an emulator of AWS, and uses what was deployed.
 * docs/deployment-test.md says what this proves and what it cannot.
 */

const python = resolve(import.meta.dirname, '../../../.ministack');

type Prove = (cloud: Cloud) => Promise<void>;

async function main(work: string): Promise<void> {
  const trouble = installMiniStack(python);
  if (trouble !== undefined) {
    process.stdout.write(`SKIPPED: MiniStack cannot be installed with Python's pip: ${trouble}\n`);
    return;
  }
  const decisions: DecidedRequest[] = [];
  const run = async (folder: string, names: readonly string[], prove: Prove): Promise<void> => {
    decisions.push(...(await inFreshAccount(python, join(work, folder), names, prove)));
  };
  process.stdout.write('One region:\n');
  await run('one', oneRegionNames, proveOneRegion);
  process.stdout.write('Three regions:\n');
  await run('three', threeRegionsNames, proveThreeRegions);
  process.stdout.write('One region that becomes three:\n');
  await run('move', threeRegionsNames, proveMove);
  process.stdout.write('A project of npm create:\n');
  const created = join(work, 'created');
  await run('created', createdProjectNames, (cloud) => proveCreatedProject(cloud, created));
  process.stdout.write('The portal next to a service in use:\n');
  const certificates = join(work, 'portal', 'tls');
  await run('portal', portalNames, (cloud) => provePortal(cloud, certificates));
  process.stdout.write('Permissions:\n');
  reportUses(decisions);
}

const work = mkdtempSync(join(tmpdir(), 'test-deploy-'));
try {
  await main(work);
} finally {
  rmSync(work, { recursive: true, force: true });
}
