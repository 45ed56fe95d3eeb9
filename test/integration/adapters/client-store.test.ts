import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDynamoDbClientReader } from '../../../adapters/dynamodb/stores/client-reader.ts';
import { createDynamoDbClientStore } from '../../../adapters/dynamodb/stores/client-store.ts';
import type {
  Client,
  ClientSecret,
  ClientStore,
  UseRecorder,
} from '../../../core/client/client.ts';
import { ConflictError, MalformedRecordError } from '../../../core/errors.ts';
import { collect } from '../../../core/paging.ts';
import { client, clientSecrets, inOrder } from '../../support/arbitraries.ts';
import { malformedClients, storedClient } from '../../support/malformed-clients.ts';
import { startTables, type TestTables } from './dynamodb-tables.ts';

let tables: TestTables;
let store: ClientStore;
let uses: UseRecorder;
let malformed: MalformedRecordError[] = [];

beforeAll(async () => {
  tables = await startTables();
  store = createDynamoDbClientStore(tables.dynamodb, tables.nameOf('clients'), {
    consistentRead: true,
    onMalformedRecord: (error) => malformed.push(error),
  });
  uses = createDynamoDbClientReader(tables.dynamodb, tables.nameOf('clients'));
});
afterAll(() => tables.close());

const empty = () => tables.empty('clients');

beforeEach(async () => {
  malformed = [];
  await empty();
});

const secret = (secretId: string, more: Partial<ClientSecret> = {}): ClientSecret => ({
  secretId,
  hash: 'sha256$x',
  createdAt: 1_800_000_000,
  ...more,
});

const example: Client = {
  clientId: 'client_0000000000000000000001',
  name: 'billing',
  serviceTrunkGroup: 'tg-1',
  audiences: [],
  tokenLifetime: 3600,
  scopes: ['messaging:view'],
  secrets: [secret('secret_a'), secret('secret_b')],
  version: 1,
  createdAt: 1_800_000_000,
  updatedAt: 1_800_000_000,
};

describe('the client store', () => {
  it('returns every client as it was created', async () => {
    await fc.assert(
      fc.asyncProperty(client, async (value) => {
        await empty();
        await store.create(value);
        expect(await store.find(value.clientId)).toEqual(value);
        expect(await collect(store.list())).toEqual([value]);
      }),
      { numRuns: 60 },
    );
  });

  it('returns every client as it was replaced, for any difference', async () => {
    const change = fc.record({ from: client, to: client });
    await fc.assert(
      fc.asyncProperty(change, async ({ from, to }) => {
        await empty();
        await store.create(from);
        const changed = { ...to, clientId: from.clientId, version: from.version + 1 };
        await store.replace(changed);
        expect(await store.find(from.clientId)).toEqual(changed);
      }),
      { numRuns: 60 },
    );
  });

  it('lists more clients than fit one page', async () => {
    // DynamoDB ends a page after 1 MB.
    const secrets = Array.from({ length: 100 }, (_, index) =>
      secret(`secret_${index}`, { name: 'n'.repeat(128), hash: 'h'.repeat(128) }),
    );
    const ids = Array.from({ length: 40 }, (_, index) => `client_${index}`);
    await Promise.all(ids.map((clientId) => store.create({ ...example, clientId, secrets })));
    const found = (await collect(store.list())).map(({ clientId }) => clientId);
    expect(found.sort()).toEqual(ids.sort());
  });

  it('creates an id once', async () => {
    await store.create(example);
    await expect(store.create({ ...example, name: 'other' })).rejects.toThrow(
      new ConflictError(
        'could not create client "client_0000000000000000000001": a client of this id exists',
      ),
    );
    expect(await store.find(example.clientId)).toEqual(example);
  });

  it('writes no client that could not be read again', async () => {
    await expect(store.create({ ...example, name: '' })).rejects.toThrow(MalformedRecordError);
    expect(await store.find(example.clientId)).toBeUndefined();
  });

  it('takes one of two changes to the same version', async () => {
    await store.create(example);
    const changes = ['one', 'two', 'three'].map((name) =>
      store.replace({ ...example, name, version: 2 }),
    );
    const results = await Promise.allSettled(changes);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ConflictError);
    }
    expect((await store.find(example.clientId))?.version).toBe(2);
  });

  it('neither changes nor deletes a client that was changed or deleted meanwhile', async () => {
    await expect(store.replace({ ...example, version: 2 })).rejects.toThrow(ConflictError);
    await store.create(example);
    await expect(store.replace({ ...example, version: 3 })).rejects.toThrow(ConflictError);
    await expect(store.delete(example.clientId, 2)).rejects.toThrow(ConflictError);
    await store.delete(example.clientId, 1);
    await expect(store.delete(example.clientId, 1)).rejects.toThrow(ConflictError);
    expect(await store.find(example.clientId)).toBeUndefined();
  });

  it('changes a client with every secret that the limits allow', async () => {
    const many = (more: Partial<ClientSecret>) =>
      inOrder(Array.from({ length: 100 }, (_, index) => secret(`secret_${index}`, more)));
    await store.create({ ...example, secrets: many({}) });
    const changed = { ...example, version: 2, secrets: many({ name: 'old', expiresAt: 1 }) };
    await store.replace(changed);
    expect(await store.find(example.clientId)).toEqual(changed);
    await store.replace({ ...example, version: 3, secrets: [] });
    expect((await store.find(example.clientId))?.secrets).toEqual([]);
  });
});

it('the use of an assertion is noted by day, never goes back and creates no client', async () => {
  await store.create(example);
  for (const day of ['2026-11-20', '2026-11-20', '2026-11-21', '2026-11-19']) {
    await uses.recordUse(example.clientId, undefined, day);
  }
  const changed = { ...example, version: example.version + 1, name: 'Renamed' };
  await store.replace(changed);
  const lastUsedOn = '2026-11-21';
  expect(await store.find(example.clientId)).toEqual({ ...changed, lastUsedOn });
  await store.delete(example.clientId, changed.version);
  await uses.recordUse(example.clientId, undefined, '2026-11-22');
  expect(await store.find(example.clientId)).toBeUndefined();
});

describe('the use of a secret', () => {
  it('brings back neither a secret nor a client', async () => {
    await uses.recordUse(example.clientId, 'secret_a', '2026-11-20');
    expect(await store.find(example.clientId)).toBeUndefined();
    await store.create({ ...example, secrets: [secret('secret_b')] });
    await uses.recordUse(example.clientId, 'secret_a', '2026-11-20');
    const found = await store.find(example.clientId);
    expect(found?.secrets.map(({ secretId }) => secretId)).toEqual(['secret_b']);
  });

  it('is not lost to changes at the same time, and resurrects nothing', async () => {
    const step = fc.record({
      kind: fc.constantFrom('use', 'rename', 'delete', 'expire'),
      day: fc.constantFrom('2026-11-20', '2026-11-21'),
    });
    const steps = fc.array(step, { minLength: 2, maxLength: 6 });

    /** What management does: reads, decides, writes; after a conflict all over again. */
    async function manage(change: (now: Client) => Client): Promise<void> {
      for (;;) {
        const now = await store.find(example.clientId);
        if (now === undefined) throw new Error('the client is gone');
        try {
          return await store.replace({ ...change(now), version: now.version + 1 });
        } catch (error) {
          if (!(error instanceof ConflictError)) throw error;
        }
      }
    }

    const actions: Readonly<
      Record<'use' | 'rename' | 'delete' | 'expire', (day: string) => Promise<unknown>>
    > = {
      use: (day: string) =>
        Promise.all([
          uses.recordUse(example.clientId, 'secret_a', day),
          uses.recordUse(example.clientId, 'secret_b', day),
        ]),
      rename: () => manage((now) => ({ ...now, name: `${now.name}x` })),
      delete: () =>
        manage((now) => ({
          ...now,
          secrets: now.secrets.filter(({ secretId }) => secretId !== 'secret_b'),
        })),
      expire: () =>
        manage((now) => ({
          ...now,
          // A secret that is changed on the way keeps what the token path wrote.
          secrets: now.secrets.map((one) => ({ ...one, expiresAt: 1_900_000_000 })),
        })),
    };

    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        await empty();
        await store.create(example);
        await Promise.all(all.map(({ kind, day }) => actions[kind](day)));
        const found = await store.find(example.clientId);
        const used = all.filter(({ kind }) => kind === 'use').map((step) => step.day);
        expect(found?.secrets.find(({ secretId }) => secretId === 'secret_a')?.lastUsedOn).toBe(
          used.sort().at(-1),
        );
        const deleted = all.some(({ kind }) => kind === 'delete');
        expect(found?.secrets.some(({ secretId }) => secretId === 'secret_b')).toBe(!deleted);
        expect(found?.version).toBe(1 + all.filter(({ kind }) => kind !== 'use').length);
      }),
      { numRuns: 60 },
    );
  });

  it('survives a change that was read before it', async () => {
    await fc.assert(
      fc.asyncProperty(clientSecrets(5), async (secrets) => {
        await empty();
        const fresh = secrets.map((one) => ({ ...one, lastUsedOn: undefined }));
        await store.create({ ...example, secrets: fresh });
        for (const { secretId } of fresh) {
          await uses.recordUse(example.clientId, secretId, '2026-11-20');
        }
        // What management read before knows nothing of the uses.
        const renamed = fresh.map((one) => ({ ...one, name: 'renamed' }));
        await store.replace({ ...example, secrets: renamed, version: 2 });
        expect((await store.find(example.clientId))?.secrets).toEqual(
          inOrder(renamed.map((one) => ({ ...one, lastUsedOn: '2026-11-20' }))),
        );
      }),
      { numRuns: 30 },
    );
  });
});

describe('an item that cannot be read', () => {
  const put = (item: object) =>
    tables.dynamodb.put({ TableName: tables.nameOf('clients'), Item: { ...item } });

  it.each(malformedClients)('%s fails only that client', async (_, change, detail) => {
    await store.create(example);
    await put({ ...storedClient, ...change });
    const error = await store
      .find('client_0000000000000000000bad')
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MalformedRecordError);
    const { message } = error as MalformedRecordError;
    expect(message).toContain(
      `the item of client "client_0000000000000000000bad" cannot be read: ${detail}`,
    );
    expect(message).not.toContain('SECRETHASH');
    expect(await store.find(example.clientId)).toEqual(example);
    expect(await collect(store.list())).toEqual([example]);
    expect(malformed.map((one) => one.message)).toEqual([message]);
  });
});
