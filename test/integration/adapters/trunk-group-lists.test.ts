import {
  DescribeTableCommand,
  type QueryCommandInput,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { createDynamoDbClientStore } from '../../../adapters/dynamodb/stores/client-store.ts';
import { bindManagement, InputError, type Management } from '../../../adapters/management.ts';
import { createManagementContext } from '../../../adapters/management-tables.ts';
import { tableName, tables, trunkGroupIndex } from '../../../contract/tables.ts';
import type { IndexTiming } from '../../../lab/emulator/table-indexes.ts';
import { stepLimit } from '../../../lab/support/hang-limit.ts';
import { waitUntil } from '../../../lab/support/wait-until.ts';
import { testConfig } from '../../support/management.ts';
import { startIndexedTables } from './dynamodb-tables.ts';

const clientsTable = tableName(testConfig.name, 'clients');
const apiKeysTable = tableName(testConfig.name, 'apiKeys');

async function start(indexTiming: IndexTiming = {}) {
  const { aws, dynamodb } = await startIndexedTables(indexTiming);
  const actor = async () => 'arn:aws:iam::123456789012:user/op';
  const management = bindManagement(createManagementContext({ config: testConfig, aws, actor }));
  const removeIndexes = async () => {
    for (const TableName of [clientsTable, apiKeysTable]) {
      const Delete = { IndexName: trunkGroupIndex.name };
      const update = { TableName, GlobalSecondaryIndexUpdates: [{ Delete }] };
      await dynamodb.send(new UpdateTableCommand(update));
      // DynamoDB Local answers 500 while it removes one.
      await waitUntil('the index is gone', async () => {
        const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
        return Table?.TableStatus === 'ACTIVE' && Table.GlobalSecondaryIndexes === undefined;
      });
    }
  };
  return { dynamodb, management, removeIndexes };
}

const createClient = (management: Management, serviceTrunkGroup: string, name: string) =>
  management.createClient({ name, serviceTrunkGroup, scopes: ['calls:view'] });

/** Customers with three clients and keys each, in an order that is not that of their names. */
async function seed(management: Management, customers: number): Promise<void> {
  for (let customer = 0; customer < customers; customer++) {
    for (const name of ['b', 'C', 'a.x']) {
      await createClient(management, `tg-${customer}`, name);
      await management.createApiKey({ name, serviceTrunkGroup: `tg-${customer}` });
    }
  }
}

/** Over an index that follows its table when told to. */
async function startBehind() {
  const writes: (() => void)[] = [];
  const { management } = await start({ defer: (write) => writes.push(write) });
  const catchUp = () => {
    for (const write of writes.splice(0)) write();
  };
  return { management, catchUp };
}

interface Listed {
  readonly names: readonly string[];
  readonly cursors: readonly string[];
  readonly pages: number;
}

/** Every page of a list. */
async function listAll(
  management: Management,
  operation: 'listClients' | 'listApiKeys',
  filter: { readonly limit?: number; readonly text?: string; readonly enabled?: boolean },
): Promise<Listed> {
  const names: string[] = [];
  const cursors: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await management[operation]({ ...filter, cursor });
    expect(page.items.length).toBeLessThanOrEqual(filter.limit ?? 500);
    names.push(...page.items.map(({ serviceTrunkGroup, name }) => `${serviceTrunkGroup} ${name}`));
    cursor = page.nextCursor;
    if (cursor !== undefined) cursors.push(cursor);
  } while (cursor !== undefined);
  return { names, cursors, pages: cursors.length + 1 };
}

/** @returns what was read since then. */
function recordReads(dynamodb: DynamoDBDocument): () => readonly string[] {
  const send = vi.spyOn(Object.getPrototypeOf(Object.getPrototypeOf(dynamodb)), 'send');
  send.mockClear();
  return () =>
    send.mock.calls
      .map(([command]) => {
        const { input, constructor } = command as {
          input: QueryCommandInput;
          constructor: Function;
        };
        return `${constructor.name} ${input.IndexName ?? ''}`.trim();
      })
      .toSorted();
}

const operations = ['listClients', 'listApiKeys'] as const;

describe('lists of trunk groups', () => {
  it.each(operations)(
    '%s: pages with any limit and filter hold each item once, in one order',
    async (operation) => {
      const started = await start();
      await seed(started.management, 4);
      const own = started.management.forCaller({ trunkGroups: ['tg-3', 'tg-1'] });
      const expected = ['tg-1 C', 'tg-1 a.x', 'tg-1 b', 'tg-3 C', 'tg-3 a.x', 'tg-3 b'];
      for (let limit = 1; limit <= 7; limit++) {
        const { names, pages } = await listAll(own, operation, { limit });
        expect(names).toEqual(expected);
        expect(pages).toBe(Math.ceil(6 / limit));
      }
      const { names } = await listAll(own, operation, { limit: 1, text: 'A.X', enabled: true });
      expect(names).toEqual(['tg-1 a.x', 'tg-3 a.x']);
    },
  );

  it('have cursors that say nothing about other groups', async () => {
    const started = await start();
    await seed(started.management, 12);
    const own = started.management.forCaller({ trunkGroups: ['tg-3', 'tg-7'] });
    const all = (await started.management.listClients()).items;
    const foreign = all.filter(({ serviceTrunkGroup: group }) => !['tg-3', 'tg-7'].includes(group));
    const { cursors } = await listAll(own, 'listClients', { limit: 1 });
    expect(cursors.length).toBeGreaterThan(4);
    const decoded = cursors.map((cursor) => Buffer.from(cursor, 'base64url').toString());
    for (const { clientId } of foreign) expect(decoded.join()).not.toContain(clientId);
  });

  it('find the client of a secret by its full id, and only in their own groups', async () => {
    const started = await start();
    const { management } = started;
    const { client } = await createClient(management, 'tg-1', 'mine');
    await seed(management, 3);
    const { secret } = await management.createClientSecret(client.clientId, {});
    const find = async (text: string, ...trunkGroups: readonly string[]) =>
      (await management.forCaller({ trunkGroups }).listClients({ text })).items.map(
        ({ name }) => name,
      );
    for (const id of [client.clientId, secret.secretId]) {
      expect((await management.listClients({ text: id })).items).toHaveLength(1);
      expect(await find(id, 'tg-1')).toEqual(['mine']);
      expect(await find(id, 'tg-2')).toEqual([]);
      expect(await find(id)).toEqual([]);
    }
  });
});

describe('a list of trunk groups over its index', () => {
  it('follows the index, and each record of its own is read at once', async () => {
    const { management, catchUp } = await startBehind();
    const own = management.forCaller({ trunkGroups: ['tg-1'] });
    const { client } = await createClient(own, 'tg-1', 'a');
    const names = async () => (await listAll(own, 'listClients', {})).names;
    expect(await names()).toEqual([]);
    expect(await own.findClient(client.clientId)).toMatchObject({ name: 'a' });
    catchUp();
    expect(await names()).toEqual(['tg-1 a']);
    await own.deleteClient(client.clientId);
    expect(await names()).toEqual([]);
  });

  it.each(operations)(
    '%s has no item twice whose name changes between two pages',
    async (operation) => {
      const { management, catchUp } = await startBehind();
      await seed(management, 1);
      catchUp();
      const own = management.forCaller({ trunkGroups: ['tg-0'] });
      const [first, ...others] = (await own[operation]()).items;
      if (first === undefined) throw new Error('nothing was made');
      if ('clientId' in first) await own.updateClient(first.clientId, { name: 'zz' });
      else await own.updateApiKey(first.keyId, { name: 'zz' });
      const page = await own[operation]({ limit: 1 });
      catchUp();
      const rest = await own[operation]({ cursor: page.nextCursor });
      const found = [...page.items, ...rest.items].map(({ name }) => name);
      expect(found).toEqual([...others.map(({ name }) => name), 'zz']);
    },
  );

  it('shows each client as it is, although the index is older', async () => {
    const { management, catchUp } = await startBehind();
    const { client } = await createClient(management, 'tg-1', 'a');
    catchUp();
    const own = management.forCaller({ trunkGroups: ['tg-1'] });
    await own.setClientEnabled(client.clientId, false);
    expect((await own.listClients({ enabled: false })).items).toHaveLength(1);
    expect((await own.listClients({ enabled: true })).items).toHaveLength(0);
  });

  it('costs two reads of its table, however many clients others have', async () => {
    const { dynamodb, management } = await start();
    await seed(management, 20);
    const readsSince = recordReads(dynamodb);
    await management.forCaller({ trunkGroups: ['tg-7'] }).listClients({ limit: 50 });
    expect(readsSince()).toEqual(['BatchGetCommand', 'QueryCommand by-trunk-group']);
  });
});

it('the items of a trunk group are counted in the index, up to as many as are asked for', async () => {
  const { dynamodb, management } = await start();
  await seed(management, 3);
  const store = createDynamoDbClientStore(dynamodb, clientsTable);
  const read = vi.spyOn(dynamodb, 'batchGet');
  const counts = [1, 2, 3, 4].map((most) => store.count('tg-1', most));
  expect(await Promise.all(counts)).toEqual([1, 2, 3, 3]);
  expect(await store.count('tg-9', 5)).toBe(0);
  expect(read).not.toHaveBeenCalled();
});

describe('a text in the names of every trunk group', () => {
  it.each(operations)('%s: pages of any size hold each item once', async (operation) => {
    const started = await start();
    await seed(started.management, 4);
    const expected = ['tg-0 a.x', 'tg-1 a.x', 'tg-2 a.x', 'tg-3 a.x'];
    for (const limit of [1, 2, 3, 4, 5]) {
      const { names } = await listAll(started.management, operation, { limit, text: 'A.X' });
      expect(names.toSorted()).toEqual(expected);
    }
    const none = { text: 'a.x', enabled: false };
    expect((await listAll(started.management, operation, none)).names).toEqual([]);
  });

  it('finds the names and ids of secrets, too, each client once', async () => {
    const started = await start();
    const { management } = started;
    await seed(management, 2);
    const { client: other } = await createClient(management, 'tg-9', 'other');
    await management.createClientSecret(other.clientId, { name: 'b-2026' });
    const { client: both } = await createClient(management, 'tg-9', 'both b-2026');
    await management.createClientSecret(both.clientId, { name: 'b-2026' });
    for (const limit of [1, 2, 500]) {
      const { names } = await listAll(management, 'listClients', { limit, text: 'B-2026' });
      expect(names.toSorted()).toEqual(['tg-9 both b-2026', 'tg-9 other']);
    }
  });

  it('costs one read of the names, and says that the names of secrets are left', async () => {
    const { dynamodb, management } = await start();
    await seed(management, 20);
    const readsSince = recordReads(dynamodb);
    const page = await management.listClients({ text: 'a.x', limit: 50 });
    const reads = readsSince();
    expect(page.items).toHaveLength(20);
    expect(page).toMatchObject({ examined: 60, allNames: true, nextCursor: expect.any(String) });
    const keys = await management.listApiKeys({ text: 'a.x', limit: 50 });
    expect(keys).toMatchObject({ allNames: undefined, nextCursor: undefined });
    expect(reads).toEqual(['BatchGetCommand', 'ScanCommand by-trunk-group']);
  });

  it('finds a client by its present name only', async () => {
    const { management, catchUp } = await startBehind();
    const { client } = await createClient(management, 'tg-1', 'found before');
    catchUp();
    await management.updateClient(client.clientId, { name: 'found now' });
    const find = async () => (await listAll(management, 'listClients', { text: 'found' })).names;
    expect(await find()).toEqual([]);
    catchUp();
    expect(await find()).toEqual(['tg-1 found now']);
  });
});

describe('without the index', () => {
  it('says what to wait for', async () => {
    const { management, removeIndexes } = await start();
    await seed(management, 1);
    const own = management.forCaller({ trunkGroups: ['tg-0'] });
    await removeIndexes();
    const refusal =
      'its index by-trunk-group cannot be used; wait until `aws dynamodb describe-table` says that it is ACTIVE';
    await expect(own.listClients()).rejects.toThrow(refusal);
    await expect(own.listApiKeys()).rejects.toThrow(refusal);
    await expect(management.listClients({ text: 'a.x' })).rejects.toThrow(refusal);
    expect((await management.listClients()).items).toHaveLength(3);
  });

  // DynamoDB Local fills an index when it likes, and answers 500 to writes meanwhile.
  const canWait = process.env['DYNAMODB_LOCAL_ENDPOINT'] === undefined;
  it.runIf(canWait)('says the same until it is filled', async () => {
    const gate = Promise.withResolvers<void>();
    const { dynamodb, management, removeIndexes } = await start({ beforeFill: () => gate.promise });
    await removeIndexes();
    await seed(management, 2);
    const own = management.forCaller({ trunkGroups: ['tg-1'] });
    const { name: IndexName, partitionKey, sortKey, projected } = trunkGroupIndex;
    const Create = {
      IndexName,
      KeySchema: [
        { AttributeName: partitionKey, KeyType: 'HASH' as const },
        { AttributeName: sortKey, KeyType: 'RANGE' as const },
      ],
      Projection: { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...projected] },
    };
    const update = {
      TableName: clientsTable,
      AttributeDefinitions: [tables.clients.partitionKey, partitionKey, sortKey].map(
        (AttributeName) => ({ AttributeName, AttributeType: 'S' as const }),
      ),
      GlobalSecondaryIndexUpdates: [{ Create }],
    };
    await dynamodb.send(new UpdateTableCommand(update));
    await expect(own.listClients()).rejects.toThrow('by-trunk-group cannot be used');
    gate.resolve();
    await vi.waitFor(async () => expect((await own.listClients()).items).toHaveLength(3), {
      timeout: stepLimit,
    });
  });
});

describe('a cursor that was made up', () => {
  const of = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = (value: string) => Buffer.from(value).toString('base64url');
  const time = '2026-11-20T12:00:00.123Z';

  it('is refused or is a page of the own list, and is no fault', async () => {
    const started = await start();
    await seed(started.management, 2);
    const { management } = started;
    const limited = management.forCaller({ trunkGroups: ['tg-0'] });
    const { items } = await management.listClients({ trunkGroup: 'tg-1' });
    const clientId = items[0]?.clientId ?? '';
    const cursors = [
      text('x'),
      text('\u0000'),
      text('x'.repeat(1500)),
      text(clientId),
      of(['']),
      of(['x']),
      of([clientId]),
      of(['tg-0', 'x', 'x']),
      of(['tg-0', 'x'.repeat(100), clientId]),
      of(['tg-0', '\u0000', '\u0000']),
      of(['tg-1', 'a.x', clientId]),
      of([`${time}$`]),
      of([`${time}#x`, 'y']),
      of([`${time}#${'x'.repeat(1200)}`]),
      of([`2025${time.slice(4)}#x`]),
      of(['2026-11-20']),
      of(['9999-12-31', 'x']),
    ];
    for (const cursor of [text('x'), of(['']), of(['tg-1', 'a.x', clientId])]) {
      await expect(limited.listClients({ cursor })).rejects.toThrow('cursor: received');
    }
    for (const caller of [limited, management]) {
      for (const cursor of cursors) {
        const answers = await Promise.allSettled([
          caller.listClients({ cursor }),
          caller.listApiKeys({ cursor }),
          caller.listTrunkGroupLimits({ cursor }),
          caller.listAudit({ cursor }),
          caller.listHistory(clientId, { cursor, since: '2026-11-01' }),
        ]);
        for (const answer of answers) {
          if (answer.status === 'rejected') expect(answer.reason).toBeInstanceOf(InputError);
          else if (caller === limited) expect(JSON.stringify(answer.value)).not.toContain('tg-1');
        }
      }
    }
  });
});
