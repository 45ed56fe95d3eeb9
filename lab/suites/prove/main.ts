import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { kmsKeyTags } from '../../../contract/kms-key.ts';
import type { Cloud } from '../../ministack/cloud.ts';
import { say } from '../../ministack/proof.ts';
import { runScenarios, type Scenario } from '../../ministack/scenarios.ts';
import {
  emulatedRegion,
  emulatedRegions,
  emulatedNames as names,
  startOnEmulator,
  whileKeyIsLost,
  writeTwoRegions,
} from '../../prove/emulator.ts';
import { proofs } from '../../prove/proofs.ts';
import { openRecord } from '../../prove/run-record.ts';
import { runOrThrow } from '../../support/run-command.ts';
import { waitUntil } from '../../support/wait-until.ts';

/*
 * Plays `npm run prove` on the emulator: whole runs in one region and two, and one that is killed at
 * each step. docs/first-deployment.md has the command.
 */

const root = resolve(import.meta.dirname, '../../..');

const run = ['--region', emulatedRegion, '--yes'];

/** @returns what is still in the account. */
const listRest = async (cloud: Cloud) =>
  (await Promise.all(emulatedRegions.map((region) => listRestIn(cloud.aws(region))))).flat();

async function listRestIn(aws: ReturnType<Cloud['aws']>): Promise<readonly string[]> {
  const { Keys = [] } = await aws.kms.listKeys({});
  const keys = Keys.map(async ({ KeyId }) => {
    const { KeyMetadata: key } = await aws.kms.describeKey({ KeyId });
    if (key?.KeyManager === 'AWS' || key?.KeyState === 'PendingDeletion') return [];
    const { Tags = [] } = await aws.kms.listResourceTags({ KeyId });
    const hasTag = Tags.some(({ TagKey }) => TagKey === kmsKeyTags.deployment);
    return hasTag ? 'tagged key' : 'untagged key';
  });
  const { Stacks = [] } = await aws.cloudformation.describeStacks({});
  const { TableNames = [] } = await aws.dynamodb.listTables({});
  const { Buckets = [] } = await aws.s3.listBuckets({});
  const { Policies = [] } = await aws.iam.listPolicies({ Scope: 'Local' });
  const { logGroups = [] } = await aws.logs.describeLogGroups({});
  const { EventBuses = [] } = await aws.events.listEventBuses({});
  return [
    ...(await Promise.all(keys)).flat(),
    ...Stacks.filter(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE').map(
      ({ StackName }) => StackName,
    ),
    ...TableNames,
    ...Buckets.map(({ Name }) => Name),
    ...Policies.map(({ PolicyName }) => PolicyName),
    ...logGroups.map(({ logGroupName }) => logGroupName),
    ...EventBuses.map(({ Name }) => Name).filter((name) => name !== 'default'),
  ].map(String);
}

/** Folder of the only run of a folder. */
const findRun = (folder: string): string =>
  join(folder, '.prove', readdirSync(join(folder, '.prove'))[0] ?? '');

/** AWS's own models take each call of the run, and those that only tests make. */
async function checkShapes(bin: string, folder: string, record: string): Promise<void> {
  const unseen = join(folder, 'calls.jsonl');
  const tests = [join(root, 'node_modules/.bin/vitest'), 'run', 'test/lab/prove'] as const;
  const environment = { PROVE_CALLS: unseen, NODE_OPTIONS: undefined };
  await runOrThrow([process.execPath, ...tests], { cwd: root, environment });
  const files = [join(import.meta.dirname, 'check_shapes.py'), join(record, 'calls.jsonl'), unseen];
  say(await runOrThrow([join(bin, 'python'), ...files]));
}

const has = (end: string) => (rest: readonly string[]) => rest.some((one) => one.endsWith(end));

/** When a run is killed: what it says, and what is in the account. */
const moments: readonly (readonly [
  moment: string,
  line: string,
  hasCome: (rest: readonly string[]) => boolean,
])[] = [
  ['while the bootstrap is made', 'makes the bootstrap', has('-toolkit')],
  ['while the service is deployed', 'deploys the service', has('-slc')],
  ['while the consumers are deployed', 'deploys what uses it', has('-probe')],
  ['while keys are made', 'asks: sign-ps256', has('key')],
  ['while a key has no tag', 'asks: lost-key-tag', has('untagged key')],
  ['while what stayed is imported', 'asks: import', (rest) => !has('-probe')(rest)],
  ['while it deletes', 'gone: ', () => true],
];

/** Kills `--clean` some times, each time when one more thing is gone, and lets it end. */
async function cleanInPieces(cloud: Cloud, cwd: string, kills: number): Promise<void> {
  const cleaning = startOnEmulator(cloud, cwd, '--clean', findRun(cwd));
  const isGone = () => cleaning.output.includes('gone: ') || undefined;
  // It ends before if everything is gone.
  const isBusy = await cleaning.waitFor('something is gone', isGone).catch(() => false);
  if (kills > 0 && isBusy) {
    await cleaning.interrupt('SIGKILL');
    return cleanInPieces(cloud, cwd, kills - 1);
  }
  const { code } = await cleaning.ended;
  assert.equal(code, 0, cleaning.output + cleaning.errors);
}

const proveWhole =
  (has: number, regionsOf: typeof writeTwoRegions | (() => readonly string[])): Scenario['prove'] =>
  async (cloud, { folder, bin }) => {
    const regions = await regionsOf(cloud, folder);
    const running = startOnEmulator(cloud, folder, ...regions, '--yes');
    await whileKeyIsLost(cloud, async () => void (await running.ended));
    const { code } = await running.ended;
    const record = findRun(folder);
    const report = readFileSync(join(record, 'proof.md'), 'utf8');
    process.stdout.write(`${running.output}${running.errors}\n${report}`);
    assert.equal(code, 0);
    const { answers } = openRecord(record);
    for (const { id, emulator, check, regions: needed = 1 } of proofs) {
      const other = check ? 'not asked' : 'left to people';
      assert.equal(answers[id]?.result, emulator && needed <= has ? 'passed' : other, id);
    }
    assert.deepEqual(await listRest(cloud), []);
    say('everything that the run has made is gone');
    await checkShapes(bin, folder, record);
  };

await runScenarios({
  whole: {
    title: 'A whole run of npm run prove',
    names,
    prove: proveWhole(1, () => ['--region', emulatedRegion]),
  },
  regions: { title: 'A whole run in two regions', names, prove: proveWhole(2, writeTwoRegions) },
  killed: {
    title: 'A run that is killed at each step',
    names,
    prove: (cloud, { folder }) =>
      whileKeyIsLost(cloud, async () => {
        for (const [index, [moment, , hasCome]] of moments.entries()) {
          const cwd = mkdtempSync(join(folder, 'killed-'));
          const running = startOnEmulator(cloud, cwd, ...run);
          // Each step has the limit of a step: a whole run on a busy machine takes longer.
          try {
            for (const [, line] of moments.slice(0, index + 1)) {
              await waitUntil(`it says ${line}`, () => running.output.includes(line), running);
            }
            await waitUntil(moment, async () => hasCome(await listRest(cloud)), running);
          } finally {
            await running.interrupt('SIGKILL');
          }
          await cleanInPieces(cloud, cwd, 5);
          assert.deepEqual(await listRest(cloud), []);
          say(`killed ${moment}: --clean, killed up to five times, has left nothing`);
        }
      }),
  },
});
