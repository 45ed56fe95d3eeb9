import { NumberValue } from '@aws-sdk/lib-dynamodb';
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
  enabled: true,
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

  it('knows no client of another id', async () => {
    await store.create(example);
    expect(await store.find('client_0000000000000000000002')).toBeUndefined();
  });

  it('lists more clients than fit one page', async () => {
    // DynamoDB ends a page after 1 MB.
    const secrets = Array.from({ length: 100 }, (_, index) =>
      secret(`secret_${index}`, { name: 'n'.repeat(100), hash: 'h'.repeat(128) }),
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
  const lastUse = async (secretId: string) =>
    (await store.find(example.clientId))?.secrets.find((one) => one.secretId === secretId)
      ?.lastUsedOn;

  it('is noted by day, changes no version and never goes back', async () => {
    await store.create(example);
    await uses.recordUse(example.clientId, 'secret_a', '2026-11-20');
    expect(await lastUse('secret_a')).toBe('2026-11-20');
    await uses.recordUse(example.clientId, 'secret_a', '2026-11-20');
    await uses.recordUse(example.clientId, 'secret_a', '2026-11-21');
    await uses.recordUse(example.clientId, 'secret_a', '2026-11-19');
    expect(await lastUse('secret_a')).toBe('2026-11-21');
    expect(await lastUse('secret_b')).toBeUndefined();
    expect((await store.find(example.clientId))?.version).toBe(1);
  });

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
  const good = {
    client_id: 'client_bad',
    schema_version: 1,
    name: 'billing',
    service_trunk_group: 'tg-1',
    audiences: [],
    token_lifetime: 3600,
    scopes: ['messaging:view'],
    enabled: true,
    secrets: { secret_a: { hash: 'sha256$SECRETHASH', created_at: 1 } },
    version: 1,
    created_at: 1,
    updated_at: 1,
  };
  const put = (item: object) =>
    tables.dynamodb.put({ TableName: tables.nameOf('clients'), Item: { ...item } });

  it('is readable in the form that the table below starts from', async () => {
    await put(good);
    expect(await store.find('client_bad')).toMatchObject({ name: 'billing' });
  });

  const shapes: readonly [string, object, string][] = [
    ['of an unknown version', { schema_version: 2 }, 'schema_version: expected 1'],
    [
      'without a version',
      { schema_version: undefined },
      'schema_version: expected "schema_version"',
    ],
    [
      'of nothing but its key',
      Object.fromEntries(
        Object.keys(good)
          .slice(1)
          .map((key) => [key, undefined]),
      ),
      'schema_version: expected "schema_version"',
    ],
    ['with text for a time', { created_at: 'now' }, 'created_at: expected number'],
    ['with text for a flag', { enabled: 'true' }, 'enabled: expected boolean'],
    ['with null for a flag', { enabled: null }, 'enabled: expected boolean'],
    ['with a misspelt attribute', { expires_att: 1 }, 'expires_att: expected no such attribute'],
    [
      'with a misspelt attribute of a secret',
      { secrets: { secret_a: { hash: 'sha256$SECRETHASH', created_at: 1, expires: 1 } } },
      'secrets.secret_a.expires: expected no such attribute',
    ],
    [
      'with a secret without a hash',
      { secrets: { secret_a: { created_at: 1 } } },
      'secrets.secret_a: expected a hash, or a key',
    ],
    [
      'with a secret that is also a key',
      { secrets: { secret_a: { hash: 'h', public_key: 'x', alg: 'ES256', created_at: 1 } } },
      'secrets.secret_a: expected a hash, or a key',
    ],
    [
      'with a secret that is text',
      { secrets: { secret_a: 'sha256$SECRETHASH' } },
      'secrets.secret_a: expected Object',
    ],
    [
      'with a list of secrets',
      { secrets: [{ hash: 'sha256$SECRETHASH', created_at: 1 }] },
      'secrets: expected a map',
    ],
    ['with a set of secrets', { secrets: new Set(['secret_a']) }, 'secrets: expected a map'],
    ['with a set of scopes', { scopes: new Set(['messaging:view']) }, 'scopes: expected Array'],
    ['with a scope that is no scope', { scopes: ['a b'] }, 'scopes.0: expected a scope token'],
    [
      'with too many scopes',
      { scopes: Array.from({ length: 41 }, (_, i) => `s${i}`) },
      'scopes: expected <=40',
    ],
    ['with a fraction of a second', { token_lifetime: 0.5 }, 'token_lifetime: expected'],
    [
      'with a lifetime beyond the bound',
      { token_lifetime: 86_401 },
      'token_lifetime: expected <=86400',
    ],
    ['that is oversize', { name: 'n'.repeat(1_000) }, 'name: expected <=100'],
    [
      'with more secrets than are allowed',
      {
        secrets: Object.fromEntries(
          Array.from({ length: 101 }, (_, i) => [`s${i}`, { hash: 'h', created_at: 1 }]),
        ),
      },
      'secrets: expected <=100',
    ],
    [
      'under a provider but with secrets',
      {
        provider: {
          issuer: 'https://idp.example.com',
          registration_id: 'idp_1',
          external_client_id: 'x',
        },
      },
      'the item: expected no secrets under a provider',
    ],
    [
      'with a number beyond JavaScript',
      { version: NumberValue.from('9007199254740993.5') },
      'version: expected number',
    ],
  ];

  it.each(shapes)('%s fails only that client', async (_, change, detail) => {
    await store.create(example);
    await put({ ...good, ...change });
    const error = await store.find('client_bad').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MalformedRecordError);
    const { message } = error as MalformedRecordError;
    expect(message).toContain(`the item of client "client_bad" cannot be read: ${detail}`);
    expect(message).not.toContain('SECRETHASH');
    expect(await store.find(example.clientId)).toEqual(example);
    expect(await collect(store.list())).toEqual([example]);
    expect(malformed.map((one) => one.message)).toEqual([message]);
  });
});
