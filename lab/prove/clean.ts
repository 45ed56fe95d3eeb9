import { kmsDeletionWindowDays, kmsKeyTags } from '../../contract/kms-key.ts';
import type { Services } from '../support/aws-services.ts';
import { type Account, eventually } from './aws.ts';
import { listThings, type RunRecord, settle, type Thing } from './run-record.ts';

const absent = /ResourceNotFound|NoSuch|NotFound|NonExistent|does not exist/i;

/** What AWS answers; undefined if it says that there is no such thing. */
async function orAbsent<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (absent.test(String(error))) return undefined;
    throw error;
  }
}

interface Kind {
  /** What it costs while it stays. */
  readonly price: string;
  /** @returns undefined if there is none, or an error that says so. */
  readonly find: (services: Services, name: string) => Promise<unknown>;
  /** Deletes what exists. It may be called again. */
  readonly remove: (services: Services, thing: Thing, account: Account) => Promise<unknown>;
}

async function findStack({ cloudformation }: Services, StackName: string) {
  const found = await orAbsent(cloudformation.describeStacks({ StackName }));
  return found?.Stacks?.find(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE');
}

const removeStack: Kind['remove'] = async (services, { name: StackName }, account) => {
  // A run that ended between a change set and its execution leaves the stack in review.
  const isBusy = /(?<!REVIEW)_IN_PROGRESS$/;
  const rest = () =>
    eventually(account, `the stack ${StackName} comes to rest`, 60, async () => {
      const status = (await findStack(services, StackName))?.StackStatus ?? 'gone';
      return !isBusy.test(status) && status;
    });
  const { cloudformation } = services;
  if ((await rest()) !== 'DELETE_FAILED') await cloudformation.deleteStack({ StackName });
  // After a first deployment that failed, tables that are protected prevent the deletion.
  if ((await rest()) !== 'DELETE_FAILED') return;
  await cloudformation.deleteStack({ StackName, DeletionMode: 'FORCE_DELETE_STACK' });
  await rest();
};

const removeTable: Kind['remove'] = async (services, { name: TableName, awsRegion }, account) => {
  const describe = async ({ dynamodb }: Services) =>
    (await orAbsent(dynamodb.describeTable({ TableName })))?.Table;
  const update = async (where: Services, change: object) => {
    await where.dynamodb.updateTable({ TableName, ...change });
    await eventually(account, `${TableName} is active`, 20, async () => {
      const { TableStatus, Replicas = [] } = (await describe(where)) ?? {};
      const states = [TableStatus, ...Replicas.map(({ ReplicaStatus }) => ReplicaStatus)];
      return states.every((state) => state === 'ACTIVE');
    });
  };
  const { Replicas = [], GlobalTableWitnesses: witnesses = [] } = (await describe(services)) ?? {};
  const others = Replicas.filter(({ RegionName }) => RegionName !== awsRegion);
  for (const { RegionName } of [...others, { RegionName: awsRegion }]) {
    const where = account.aws(RegionName);
    const isProtected = (await describe(where))?.DeletionProtectionEnabled;
    if (isProtected) await update(where, { DeletionProtectionEnabled: false });
  }
  const deletions = (all: readonly { readonly RegionName?: string | undefined }[]) =>
    all.length > 0 ? all.map(({ RegionName }) => ({ Delete: { RegionName } })) : undefined;
  if (others.length > 0) {
    const GlobalTableWitnessUpdates = deletions(witnesses);
    await update(services, { ReplicaUpdates: deletions(others), GlobalTableWitnessUpdates });
  }
  await services.dynamodb.deleteTable({ TableName });
  const isGone = async () => (await describe(services)) === undefined;
  await eventually(account, `${TableName} is deleted`, 20, isGone);
};

async function policyArn({ sts }: Services, name: string): Promise<string> {
  const [, partition, , , account] = (await sts.getCallerIdentity({})).Arn?.split(':') ?? [];
  return `arn:${partition}:iam::${account}:policy/${name}`;
}

const removePolicy: Kind['remove'] = async (services, { name }) => {
  const { iam } = services;
  const PolicyArn = await policyArn(services, name);
  const { Versions = [] } = await iam.listPolicyVersions({ PolicyArn });
  for (const { VersionId } of Versions.filter((one) => one.IsDefaultVersion !== true)) {
    await iam.deletePolicyVersion({ PolicyArn, VersionId });
  }
  await iam.deletePolicy({ PolicyArn });
};

const removeBucket: Kind['remove'] = async ({ s3 }, { name: Bucket }) => {
  for (;;) {
    const { Versions = [], DeleteMarkers = [] } = await s3.listObjectVersions({ Bucket });
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({
      Key,
      VersionId,
    }));
    if (Objects.length === 0) break;
    const { Errors: [error] = [] } = await s3.deleteObjects({ Bucket, Delete: { Objects } });
    if (error !== undefined) throw new Error(`${error.Code}: ${error.Message}`);
  }
  await s3.deleteBucket({ Bucket });
};

/** @returns undefined if someone has scheduled its deletion, or AWS has made it. */
async function findKey({ kms }: Services, KeyId: string) {
  const { KeyMetadata: key } = await kms.describeKey({ KeyId });
  return key?.KeyManager === 'AWS' || key?.KeyState === 'PendingDeletion' ? undefined : key;
}

const deleteKey = ({ kms }: Services, KeyId: string) =>
  kms.scheduleKeyDeletion({ KeyId, PendingWindowInDays: kmsDeletionWindowDays });

/** Keys of a deployment, by their tag. */
async function listKeys(services: Services, name: string): Promise<readonly string[]> {
  const { kms } = services;
  const found: string[] = [];
  for (let Marker: string | undefined; ; ) {
    const { Keys = [], NextMarker } = await kms.listKeys({ Marker });
    for (const { KeyId = '' } of Keys) {
      if ((await findKey(services, KeyId)) === undefined) continue;
      const { Tags = [] } = await kms.listResourceTags({ KeyId });
      const own = Tags.find(({ TagKey }) => TagKey === kmsKeyTags.deployment);
      if (own?.TagValue === name) found.push(KeyId);
    }
    if (NextMarker === undefined) return found;
    Marker = NextMarker;
  }
}

export const kinds: Readonly<Record<Thing['kind'], Kind>> = {
  stack: { price: 'what is in it', find: findStack, remove: removeStack },
  table: {
    price: '$0.25 a month for each GB',
    find: ({ dynamodb }, TableName) => dynamodb.describeTable({ TableName }),
    remove: removeTable,
  },
  'log group': {
    price: '$0.03 a month for each GB',
    find: async ({ logs }, logGroupNamePrefix) => {
      const { logGroups = [] } = await logs.describeLogGroups({ logGroupNamePrefix });
      return logGroups.find(({ logGroupName }) => logGroupName === logGroupNamePrefix);
    },
    remove: ({ logs }, { name: logGroupName }) => logs.deleteLogGroup({ logGroupName }),
  },
  'event bus': {
    price: 'nothing',
    find: ({ events }, Name) => events.describeEventBus({ Name }),
    remove: ({ events }, { name: Name }) => events.deleteEventBus({ Name }),
  },
  policy: {
    price: 'nothing',
    find: async (services, name) =>
      services.iam.getPolicy({ PolicyArn: await policyArn(services, name) }),
    remove: removePolicy,
  },
  bucket: {
    price: '$0.02 a month for each GB',
    find: ({ s3 }, Bucket) => s3.listObjectVersions({ Bucket, MaxKeys: 1 }),
    remove: removeBucket,
  },
  key: {
    price: '$1.00 a month',
    find: findKey,
    remove: (services, { name }) => deleteKey(services, name),
  },
  keys: {
    price: '$1.00 a month for each key',
    find: async (services, name) => (await listKeys(services, name))[0],
    remove: async (services, { name }) => {
      for (const KeyId of await listKeys(services, name)) await deleteKey(services, KeyId);
    },
  },
};

/** Deletes one thing, if it is there. @throws {Error} if it is still there. */
export async function remove(account: Account, thing: Thing): Promise<void> {
  const { find, remove: removeIt } = kinds[thing.kind];
  const services = account.aws(thing.awsRegion);
  const exists = async () => (await orAbsent(find(services, thing.name))) !== undefined;
  if (await exists()) await removeIt(services, thing, account);
  if (await exists()) throw new Error('it is still there');
}

/**
 * Deletes what a record names and nothing else: first the stacks, the last one first, because the one
 * of the bootstrap has the role that deletes the others. What cannot be deleted stays in the record,
 * with the reason.
 */
export async function clean(
  account: Account,
  record: RunRecord,
  say: (line: string) => void,
): Promise<void> {
  const isRest = ({ kind }: Thing) => Number(kind !== 'stack');
  const things = listThings(record).toReversed();
  for (const thing of things.toSorted((a, b) => isRest(a) - isRest(b))) {
    const stays = await remove(account, thing).then(() => undefined, String);
    settle(record, thing, stays);
    const gone = thing.kind.startsWith('key') ? 'gone in 30 days' : 'gone';
    say(`${stays === undefined ? gone : 'stays'}: ${thing.kind} ${thing.name} ${stays ?? ''}`);
  }
}
