import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CloudFormation } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogs } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { IAM } from '@aws-sdk/client-iam';
import { KMS } from '@aws-sdk/client-kms';
import { S3 } from '@aws-sdk/client-s3';
import type { Cloud } from '../../ministack/cloud.ts';
import { say } from '../../ministack/proof.ts';
import { runScenarios } from '../../ministack/scenarios.ts';
import { proofs } from '../../prove/proofs.ts';
import { OutputProcess } from '../../support/output-process.ts';
import { runOrThrow } from '../../support/run-command.ts';
import { waitUntil } from '../../support/wait-until.ts';

/*
 * Plays `npm run prove` on the emulator: a whole run, and one that is killed while CloudFormation
 * works. docs/first-deployment.md has the command.
 */

const root = resolve(import.meta.dirname, '../../..');
const awsRegion = 'us-west-2';
const names = [`*.execute-api.${awsRegion}.amazonaws.com`];

/** The command in an empty home, with an administrator's credentials. */
function start(cloud: Cloud, cwd: string, ...args: readonly string[]): OutputProcess {
  const { PATH, NODE_OPTIONS, NODE_EXTRA_CA_CERTS, PUBLIC_EDGE_PORT, PUBLIC_EDGE_NAMES } =
    process.env;
  const edge = { NODE_OPTIONS, NODE_EXTRA_CA_CERTS, PUBLIC_EDGE_PORT, PUBLIC_EDGE_NAMES };
  const env = {
    ...edge,
    // `npm run` puts this project's Node.js first.
    PATH: `${join(root, 'node_modules/.bin')}:${PATH}`,
    HOME: cwd,
    AWS_ENDPOINT_URL: cloud.endpoint,
    // What proves to the management function who calls is signed for the address that it uses.
    AWS_ENDPOINT_URL_STS: cloud.permissions.gate.endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
  const script = join(root, 'lab/prove/main.ts');
  return new OutputProcess([process.execPath, script, ...args], { cwd, env, detached: true });
}

/** @returns what is still in the account. */
async function listRest(cloud: Cloud): Promise<readonly string[]> {
  const sdk = { ...cloud.sdk(awsRegion), forcePathStyle: true };
  const kms = new KMS(sdk);
  const { Keys = [] } = await kms.listKeys({});
  const keys = await Promise.all(Keys.map(({ KeyId }) => kms.describeKey({ KeyId })));
  const { Stacks = [] } = await new CloudFormation(sdk).describeStacks({});
  const { TableNames = [] } = await new DynamoDB(sdk).listTables({});
  const { Buckets = [] } = await new S3(sdk).listBuckets({});
  const { Policies = [] } = await new IAM(sdk).listPolicies({ Scope: 'Local' });
  const { logGroups = [] } = await new CloudWatchLogs(sdk).describeLogGroups({});
  return [
    ...keys.flatMap(({ KeyMetadata }) =>
      KeyMetadata?.KeyManager === 'AWS' || KeyMetadata?.KeyState === 'PendingDeletion'
        ? []
        : `key ${KeyMetadata?.KeyState}`,
    ),
    ...Stacks.filter((one) => one.StackStatus !== 'DELETE_COMPLETE').map(
      (one) => `${one.StackName}`,
    ),
    ...TableNames,
    ...Buckets.map(({ Name = '' }) => Name),
    ...Policies.map(({ PolicyName = '' }) => PolicyName),
    ...logGroups.map(({ logGroupName = '' }) => logGroupName),
  ];
}

function findRun(folder: string): string {
  const runs = join(folder, '.prove');
  return join(runs, readdirSync(runs)[0] ?? '');
}

/** Ids of the proofs that have passed. */
function listPassed(run: string): readonly string[] {
  const { proofs: all } = JSON.parse(readFileSync(join(run, 'proof.json'), 'utf8')) as {
    readonly proofs: readonly { readonly id: string; readonly result: string }[];
  };
  return all.flatMap(({ id, result }) => (result === 'passed' ? id : []));
}

await runScenarios({
  whole: {
    title: 'A whole run of npm run prove',
    names,
    prove: async (cloud, { folder, bin }) => {
      const running = start(cloud, folder, '--region', awsRegion, '--yes');
      const { code } = await running.ended;
      const run = findRun(folder);
      const report = readFileSync(join(run, 'proof.md'), 'utf8');
      process.stdout.write(`${running.output}${running.errors}\n${report}`);
      assert.equal(code, 0);
      const expected = proofs.filter(({ emulator }) => emulator).map(({ id }) => id);
      assert.deepEqual(listPassed(run).toSorted(), expected.toSorted());
      assert.deepEqual(await listRest(cloud), []);
      say('everything that the run has made is gone');
      const unseen = join(folder, 'calls.jsonl');
      const tests = [
        join(root, 'node_modules/.bin/vitest'),
        'run',
        'test/lab/prove/proofs.test.ts',
      ];
      // The emulator is not asked everything: the others are the calls of the checks in their tests.
      const environment = { PROVE_CALLS: unseen, NODE_OPTIONS: undefined };
      await runOrThrow([process.execPath, ...tests], { cwd: root, environment });
      const shapes = [
        join(import.meta.dirname, 'check_shapes.py'),
        join(run, 'calls.jsonl'),
        unseen,
      ];
      say(await runOrThrow([join(bin, 'python'), ...shapes]));
    },
  },
  killed: {
    title: 'A run that is killed while CloudFormation works',
    names,
    prove: async (cloud, { folder }) => {
      for (const stack of ['-slc', '-probe']) {
        const cwd = mkdtempSync(join(folder, 'killed-'));
        const running = start(cloud, cwd, '--region', awsRegion, '--yes');
        const hasBegun = async () => (await listRest(cloud)).some((one) => one.endsWith(stack));
        await waitUntil(`CloudFormation has the stack ${stack}`, hasBegun, running);
        await running.interrupt('SIGKILL');
        const cleaning = start(cloud, cwd, '--clean', findRun(cwd));
        const { code } = await cleaning.ended;
        assert.equal(code, 0, cleaning.output + cleaning.errors);
        assert.deepEqual(await listRest(cloud), []);
        say(`killed at ${stack}; --clean has deleted what it had made:\n${cleaning.output}`);
      }
    },
  },
});
