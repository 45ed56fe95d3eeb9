import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Cloud } from '../ministack/cloud.ts';
import { createHostedZone } from '../ministack/regions.ts';
import { runScenarios, type Scenario } from '../ministack/scenarios.ts';
import { OutputProcess } from '../support/output-process.ts';

const root = resolve(import.meta.dirname, '../..');

export const emulatedRegions = ['us-west-2', 'us-east-2'] as const;
export const [emulatedRegion] = emulatedRegions;
/** Of the page's config of two regions. */
const domain = { name: 'trial.example.com', hostedZoneName: 'example.com' };
const apiNames = `*.execute-api.${emulatedRegion}.amazonaws.com`;
export const emulatedNames = [apiNames, domain.name, `*.${domain.name}`];

/** Writes that config, with a zone of the emulator. @returns options. */
export async function writeTwoRegions(cloud: Cloud, folder: string): Promise<readonly string[]> {
  const hostedZoneId = await createHostedZone(cloud, domain.hostedZoneName);
  const lines = { domain: { ...domain, hostedZoneId }, witnessAwsRegion: 'us-east-1' };
  const file = join(folder, 'two-regions.json');
  writeFileSync(file, JSON.stringify(lines));
  return ['--regions', emulatedRegions.join(','), '--config', file];
}

/** The command on an emulator, in a process of its own with an administrator's credentials. */
export function startOnEmulator(cloud: Cloud, cwd: string, ...args: readonly string[]) {
  const { NODE_OPTIONS, NODE_EXTRA_CA_CERTS, PUBLIC_EDGE_PORT, PUBLIC_EDGE_NAMES } = process.env;
  const edge = { NODE_OPTIONS, NODE_EXTRA_CA_CERTS, PUBLIC_EDGE_PORT, PUBLIC_EDGE_NAMES };
  const env = {
    ...cloud.deployerEnvironment(emulatedRegion),
    // What proves to the management function who calls is signed for the address that it uses.
    AWS_ENDPOINT_URL_STS: cloud.permissions.gate.endpoint,
    ...edge,
    // `npm run` puts this project's Node.js first.
    PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`,
  };
  const script = join(root, 'lab/prove/main.ts');
  return new OutputProcess([process.execPath, script, ...args], { cwd, env, detached: true });
}

/** IAM denies the function to sign with the key that has lost its tag, and nothing else. */
export const whileKeyIsLost = ({ permissions }: Cloud, work: () => Promise<void>) =>
  permissions.record.expectDenials(({ action }) => action === 'kms:Sign', work);

/** Plays the command on an emulator that it starts, and ends as it does. */
export async function proveOnEmulator(hasTwoRegions: boolean): Promise<void> {
  process.exitCode = 1;
  const prove: Scenario['prove'] = (cloud, { folder }) =>
    whileKeyIsLost(cloud, async () => {
      const two = hasTwoRegions && (await writeTwoRegions(cloud, folder));
      const regions = two || ['--region', emulatedRegion];
      const running = startOnEmulator(cloud, process.cwd(), ...regions, '--yes');
      process.once('SIGINT', () => void running.interrupt('SIGKILL'));
      running.child.stdout.pipe(process.stdout);
      running.child.stderr.pipe(process.stderr);
      process.exitCode = (await running.ended).code ?? 1;
    });
  process.stdout.write('Starts an emulator of AWS, which is installed the first time\n');
  const title = 'npm run prove, which says nothing about AWS here';
  await runScenarios({ emulator: { title, names: emulatedNames, prove } }, ['emulator']);
}
