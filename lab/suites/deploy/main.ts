import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { DecidedRequest } from '../../emulator/iam/authorizer.ts';
import type { Cloud } from '../../ministack/cloud.ts';
import { inFreshAccount } from '../../ministack/fresh-account.ts';
import { makePythonEnvironment } from '../../ministack/ministack.ts';
import { reportUses } from '../../ministack/permissions/statement-uses.ts';
import { createdProjectNames, proveCreatedProject } from './created-project.ts';
import { proveMove } from './move-regions.ts';
import { oneRegionNames, proveOneRegion } from './one-region.ts';
import { portalNames, provePortal } from './portal.ts';
import { proveThreeRegions, threeRegionsNames } from './three-regions.ts';

/*
 * Deploys with the real `cdk deploy` to MiniStack, an emulator of AWS, and uses what was deployed.
 * docs/deployment-test.md says what this proves and what it cannot. Arguments name scenarios.
 */

const python = resolve(import.meta.dirname, '../../../.ministack');

interface Scenario {
  readonly title: string;
  /** Under which its stacks are served. */
  readonly names: readonly string[];
  readonly prove: (cloud: Cloud, folder: string) => Promise<void>;
}

const scenarios: Readonly<Record<string, Scenario>> = {
  one: { title: 'One region', names: oneRegionNames, prove: proveOneRegion },
  three: { title: 'Three regions', names: threeRegionsNames, prove: proveThreeRegions },
  move: { title: 'One region that becomes three', names: threeRegionsNames, prove: proveMove },
  created: {
    title: 'A project of npm create',
    names: createdProjectNames,
    prove: proveCreatedProject,
  },
  portal: {
    title: 'The portal next to a service in use',
    names: portalNames,
    prove: (cloud, folder) => provePortal(cloud, join(folder, 'tls')),
  },
};

async function main(work: string, wanted: readonly string[]): Promise<void> {
  const trouble = makePythonEnvironment(python);
  if (trouble !== undefined) {
    process.stdout.write(`SKIPPED: MiniStack cannot be installed with Python's pip: ${trouble}\n`);
    return;
  }
  const decisions: DecidedRequest[] = [];
  for (const [name, { title, names, prove }] of Object.entries(scenarios)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    process.stdout.write(`${title}:\n`);
    const folder = join(work, name);
    const decided = await inFreshAccount(python, folder, names, (cloud) => prove(cloud, folder));
    decisions.push(...decided);
  }
  process.stdout.write('Permissions:\n');
  reportUses(decisions);
}

const work = mkdtempSync(join(tmpdir(), 'test-deploy-'));
try {
  await main(work, process.argv.slice(2));
} finally {
  rmSync(work, { recursive: true, force: true });
}
