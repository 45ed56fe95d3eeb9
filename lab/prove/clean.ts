import { setTimeout as sleep } from 'node:timers/promises';
import { kmsDeletionWindowDays, kmsKeyTags } from '../../contract/kms-key.ts';
import type { Aws, Services } from './aws.ts';
import type { RunRecord, Thing, ThingKind } from './run-record.ts';

/** AWS, and time. */
export interface Account {
  readonly aws: Aws;
  readonly pause: (seconds: number) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** The real clock. @param secondMs milliseconds of a second of waiting: an emulator is faster. */
export function realTime(secondMs = 1000): Pick<Account, 'pause' | 'clock'> {
  return { clock: Date.now, pause: (seconds) => sleep(seconds * secondMs) };
}

/** Asks every few seconds until there is an answer. @throws {Error} after some minutes. */
export async function eventually<T>(
  { clock, pause }: Pick<Account, 'pause' | 'clock'>,
  what: string,
  minutes: number,
  ask: () => Promise<T | undefined | false>,
): Promise<T> {
  const startedAt = clock();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (clock() - startedAt > minutes * 60_000) {
      throw new Error(`${what}: not within ${minutes} minutes`);
    }
    await pause(5);
  }
}

const absent = /ResourceNotFound|NoSuch|NotFound|NonExistent|does not exist/i;

/** What AWS answers; undefined if it says that there is no such thing. */
async function find<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (absent.test(String(error))) return undefined;
    throw error;
  }
}

interface Kind {
  readonly exists: (account: Account, thing: Thing) => Promise<boolean>;
  /** Deletes what exists. It may be called again. */
  readonly remove: (account: Account, thing: Thing) => Promise<unknown>;
  /** What it costs while it stays. */
  readonly price: string;
}

interface Simple {
  /** @returns undefined if there is none, or an error that says so. */
  readonly find: (services: Services, name: string) => Promise<unknown>;
  readonly remove: (services: Services, name: string) => Promise<unknown>;
}

/** What two calls find and delete by its name. */
const simple = (price: string, calls: Simple): Kind => ({
  price,
  exists: async ({ aws }, { name, awsRegion }) =>
    (await find(calls.find(aws(awsRegion), name))) !== undefined,
  remove: ({ aws }, { name, awsRegion }) => calls.remove(aws(awsRegion), name),
});

async function findStack({ aws }: Account, { name: StackName, awsRegion }: Thing) {
  const found = await find(aws(awsRegion).stacks.describeStacks({ StackName }));
  const { StackStatus = 'DELETE_COMPLETE', StackStatusReason } = found?.Stacks?.[0] ?? {};
  return { status: StackStatus as string, reason: StackStatusReason };
}

const stack: Kind = {
  price: 'what is in it',
  exists: async (account, thing) => (await findStack(account, thing)).status !== 'DELETE_COMPLETE',
  remove: async (account, thing) => {
    const rest = () =>
      eventually(account, `the stack ${thing.name} comes to rest`, 60, async () => {
        const found = await findStack(account, thing);
        // A run that ended between a change set and its execution leaves the stack in review.
        const isBusy = /(?<!REVIEW)_IN_PROGRESS$/.test(found.status);
        return !isBusy && found;
      });
    const { stacks } = account.aws(thing.awsRegion);
    const end = async (how: { DeletionMode?: 'FORCE_DELETE_STACK' }) => {
      await stacks.deleteStack({ StackName: thing.name, ...how });
      return rest();
    };
    let { status } = await rest();
    if (status !== 'DELETE_FAILED') ({ status } = await end({}));
    // After a first deployment that failed, tables that are protected prevent the deletion.
    if (status === 'DELETE_FAILED') await end({ DeletionMode: 'FORCE_DELETE_STACK' });
  },
};

const table: Kind = {
  price: '$0.25 a month for each GB',
  exists: async ({ aws }, { name: TableName, awsRegion }) =>
    (await find(aws(awsRegion).tables.describeTable({ TableName }))) !== undefined,
  remove: async (account, { name: TableName, awsRegion }) => {
    const describe = async (region: string) => {
      const found = await find(account.aws(region).tables.describeTable({ TableName }));
      return found?.Table;
    };
    const update = async (region: string, change: object) => {
      await account.aws(region).tables.updateTable({ TableName, ...change });
      await eventually(account, `${TableName} is active`, 20, async () => {
        const { TableStatus, Replicas = [] } = (await describe(region)) ?? {};
        const isDone = Replicas.every(({ ReplicaStatus }) => ReplicaStatus === 'ACTIVE');
        return TableStatus === 'ACTIVE' && isDone;
      });
    };
    const { Replicas = [], GlobalTableWitnesses = [] } = (await describe(awsRegion)) ?? {};
    const others = Replicas.map(({ RegionName = '' }) => RegionName).filter(
      (one) => one !== awsRegion,
    );
    for (const region of [...others, awsRegion]) {
      const isProtected = (await describe(region))?.DeletionProtectionEnabled;
      if (isProtected) await update(region, { DeletionProtectionEnabled: false });
    }
    const deletionOf = (RegionName = '') => ({ Delete: { RegionName } });
    if (others.length > 0) {
      await update(awsRegion, {
        ReplicaUpdates: others.map(deletionOf),
        ...(GlobalTableWitnesses.length > 0 && {
          GlobalTableWitnessUpdates: GlobalTableWitnesses.map((one) => deletionOf(one.RegionName)),
        }),
      });
    }
    await account.aws(awsRegion).tables.deleteTable({ TableName });
    await eventually(
      account,
      `${TableName} is deleted`,
      20,
      async () => (await describe(awsRegion)) === undefined,
    );
  },
};

const logGroup = simple('$0.03 a month for each GB', {
  find: async ({ logs }, logGroupNamePrefix) => {
    const { logGroups = [] } = await logs.describeLogGroups({ logGroupNamePrefix });
    return logGroups.find(({ logGroupName }) => logGroupName === logGroupNamePrefix);
  },
  remove: ({ logs }, logGroupName) => logs.deleteLogGroup({ logGroupName }),
});

const eventBus = simple('nothing', {
  find: ({ events }, Name) => events.describeEventBus({ Name }),
  remove: ({ events }, Name) => events.deleteEventBus({ Name }),
});

async function policyArn({ sts }: Services, name: string): Promise<string> {
  const [, partition, , , account] = (await sts.getCallerIdentity({})).Arn?.split(':') ?? [];
  return `arn:${partition}:iam::${account}:policy/${name}`;
}

const policy = simple('nothing', {
  find: async (services, name) =>
    services.iam.getPolicy({ PolicyArn: await policyArn(services, name) }),
  remove: async (services, name) => {
    const PolicyArn = await policyArn(services, name);
    const { Versions = [] } = await services.iam.listPolicyVersions({ PolicyArn });
    for (const { VersionId, IsDefaultVersion } of Versions) {
      if (IsDefaultVersion !== true) {
        await services.iam.deletePolicyVersion({ PolicyArn, VersionId });
      }
    }
    await services.iam.deletePolicy({ PolicyArn });
  },
});

const bucket = simple('$0.02 a month for each GB', {
  find: ({ buckets }, Bucket) => buckets.listObjectVersions({ Bucket, MaxKeys: 1 }),
  remove: async ({ buckets }, Bucket) => {
    for (;;) {
      const { Versions = [], DeleteMarkers = [] } = await buckets.listObjectVersions({ Bucket });
      const all = [...Versions, ...DeleteMarkers];
      if (all.length === 0) break;
      const Objects = all.map(({ Key, VersionId }) => ({ Key, VersionId }));
      const { Errors: [error] = [] } = await buckets.deleteObjects({ Bucket, Delete: { Objects } });
      if (error !== undefined) throw new Error(`${error.Code}: ${error.Message}`);
    }
    await buckets.deleteBucket({ Bucket });
  },
});

/** Keys of a deployment whose deletion no one has scheduled. */
async function listKeys({ kms }: Services, name: string): Promise<readonly string[]> {
  const found: string[] = [];
  let page = await kms.listKeys({});
  for (;;) {
    for (const { KeyId = '' } of page.Keys ?? []) {
      const { KeyMetadata: key } = await kms.describeKey({ KeyId });
      if (key?.KeyManager === 'AWS' || key?.KeyState === 'PendingDeletion') continue;
      const { Tags = [] } = await kms.listResourceTags({ KeyId });
      const own = Tags.find(({ TagKey }) => TagKey === kmsKeyTags.deployment);
      if (own?.TagValue === name) found.push(KeyId);
    }
    if (!page.Truncated) return found;
    page = await kms.listKeys({ Marker: page.NextMarker });
  }
}

const keys = simple('$1.00 a month for each key', {
  find: async (services, name) => (await listKeys(services, name))[0],
  remove: async (services, name) => {
    for (const KeyId of await listKeys(services, name)) {
      const PendingWindowInDays = kmsDeletionWindowDays;
      await services.kms.scheduleKeyDeletion({ KeyId, PendingWindowInDays });
    }
  },
});

export const kinds: Readonly<Record<ThingKind, Kind>> = {
  stack,
  table,
  'log group': logGroup,
  'event bus': eventBus,
  policy,
  bucket,
  keys,
};

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
  const things = record.things.toReversed();
  const isStack = ({ kind }: Thing) => kind === 'stack';
  for (const thing of [...things.filter(isStack), ...things.filter((one) => !isStack(one))]) {
    const { exists, remove } = kinds[thing.kind];
    try {
      if (await exists(account, thing)) await remove(account, thing);
      if (await exists(account, thing)) throw new Error('it is still there');
      record.settle(thing);
      say(`gone: ${thing.kind} ${thing.name}`);
    } catch (error) {
      record.settle(thing, String(error));
      say(`stays: ${thing.kind} ${thing.name}: ${String(error)}`);
    }
  }
}
