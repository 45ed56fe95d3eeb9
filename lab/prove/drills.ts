import { decodeProtectedHeader } from 'jose';
import { functionName, liveAlias, stackName } from '../../contract/function-names.ts';
import { kmsKeyTags } from '../../contract/kms-key.ts';
import { deployedTableName } from '../../contract/tables.ts';
import { eventually } from './clean.ts';
import { regionId } from './deployment.ts';
import { logGroupOf } from './gateway-checks.ts';
import { type Check, expect, getToken, requestToken, secondsSince, type World } from './world.ts';

/** CloudFormation takes every resource type of the templates. */
export const deploys: Check = async (world) => {
  const StackName = stackName(world.name, regionId);
  const { Stacks: [stack] = [] } = await world.aws().stacks.describeStacks({ StackName });
  const status = stack?.StackStatus ?? 'not there';
  expect(/^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status), `the stack is ${status}`);
  return { status };
};

/** A deployment takes over what a deleted one has left: a log group keeps its creation time. */
export const imports: Check = async (world) => {
  const logGroupNamePrefix = logGroupOf(world, /-token$/);
  const createdAt = async () => {
    const { logGroups = [] } = await world.aws().logs.describeLogGroups({ logGroupNamePrefix });
    return logGroups[0]?.creationTime;
  };
  const before = await createdAt();
  await world.deployAnew();
  const after = await createdAt();
  expect(before !== undefined && before === after, `created at ${before}, now ${after}`);
  const { client_id: kept } = await world.authctl('client', 'show', world.client.clientId);
  expect(kept === world.client.clientId, 'the client is gone');
  return {};
};

/** CodeDeploy gives a new version a tenth of the requests, and then all; no request fails. */
export const shifts: Check = async (world) => {
  const Name = { FunctionName: functionName(world.name, 'token'), Name: liveAlias };
  const { FunctionVersion: before } = await world.aws().lambda.getAlias(Name);
  const weights = new Set<number>();
  const update = world.redeploy({ tokenFunction: { memory: 1024 } }).then(() => 'done');
  while ((await Promise.race([update, world.pause(2)])) !== 'done') {
    await getToken(world);
    const { RoutingConfig } = await world.aws().lambda.getAlias(Name);
    for (const weight of Object.values(RoutingConfig?.AdditionalVersionWeights ?? {})) {
      weights.add(weight);
    }
  }
  const { FunctionVersion: after } = await world.aws().lambda.getAlias(Name);
  expect(after !== before, `the alias stayed at version ${before}`);
  expect(weights.has(0.1), `weights of the new version: ${[...weights].join(', ') || 'none'}`);
  return { versions: `${before} to ${after}`, weights: [...weights].join(', ') };
};

async function kidOf(world: World): Promise<string | undefined> {
  return decodeProtectedHeader(await getToken(world)).kid;
}

/** The next key signs by command. */
export const rotates: Check = async (world) => {
  const [before, startedAt] = [await kidOf(world), world.clock()];
  // It is refused until the key is eligible.
  await eventually(world, 'a rotation by command', 40, () =>
    world.authctl('signing-key', 'rotate').catch(() => undefined),
  );
  await eventually(world, 'a token of another key', 5, async () => (await kidOf(world)) !== before);
  return { 'signs after s': secondsSince(world, startedAt) };
};

/** Without its tag, a key cannot sign, and the next one does; with the tag, it signs again. */
export const losesTag: Check = async (world) => {
  const { items } = await world.authctl('signing-key', 'list');
  const keys = items as readonly { kid: string; state: string; kms_key_arn: string }[];
  const current = keys.find(({ state }) => state === 'current');
  if (current === undefined) throw new Error('no key is current');
  const [KeyId, TagKey] = [current.kms_key_arn, kmsKeyTags.deployment];
  const { kms } = world.aws();
  const signs = (isOwn: boolean, what: string) =>
    eventually(world, what, 15, async () => ((await kidOf(world)) === current.kid) === isOwn);
  const startedAt = world.clock();
  try {
    await kms.untagResource({ KeyId, TagKeys: [TagKey] });
    await signs(false, 'another key signs');
  } finally {
    // Without the tag, the record does not find the key.
    await kms.tagResource({ KeyId, Tags: [{ TagKey, TagValue: world.name }] });
  }
  const seconds = secondsSince(world, startedAt);
  await signs(true, 'the repaired key signs');
  return { 'another key signed after s': seconds };
};

/** A client that is deleted comes back from a point in time. */
export const restores: Check = async (world) => {
  const { awsRegion, client, name } = world;
  const { tables } = world.aws();
  const TableName = deployedTableName({ name }, 'clients');
  const restored = `${name}-restored-clients`;
  const before = world.clock();
  await eventually(world, 'DynamoDB can restore this moment', 15, async () => {
    const answer = await tables.describeContinuousBackups({ TableName });
    const { PointInTimeRecoveryDescription: times } = answer.ContinuousBackupsDescription ?? {};
    return (times?.LatestRestorableDateTime?.getTime() ?? 0) > before;
  });
  await world.authctl('client', 'delete', client.clientId);
  world.intend({ kind: 'table', name: restored, awsRegion });
  const RestoreDateTime = new Date(before);
  const names = { SourceTableName: TableName, TargetTableName: restored };
  await tables.restoreTableToPointInTime({ ...names, RestoreDateTime });
  await eventually(world, 'the restored table is active', 60, async () => {
    const { Table } = await tables.describeTable({ TableName: restored });
    return Table?.TableStatus === 'ACTIVE';
  });
  const point = ['--from', restored, '--restore-point', RestoreDateTime.toISOString()];
  await world.authctl('table', 'restore', 'clients', ...point, '--undelete', client.clientId);
  await eventually(world, 'the restored client gets a token', 5, async () => {
    const { status } = await requestToken(world);
    return status === 200;
  });
  return { 'back after s': secondsSince(world, before) };
};

/** A client that the probe's stack declares exists. */
export const declares: Check = async (world) => {
  const id = world.probe['DeclaredClient'] ?? '';
  const { client_id: found } = await world.authctl('client', 'show', id);
  expect(found === id, `authctl shows ${String(found)}, and the stack ${id}`);
  return {};
};
