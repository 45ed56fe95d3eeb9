import { readFileSync } from 'node:fs';
import type { QueryCommandInput, ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { DynamoDbDocuments } from '../../../adapters/dynamodb/clients/dynamodb-calls.ts';
import { parseApiKeyItem, toApiKeyItem } from '../../../adapters/dynamodb/items/api-key-item.ts';
import {
  parseClientItem,
  toClient,
  toClientItem,
} from '../../../adapters/dynamodb/items/client-item.ts';
import type { Item } from '../../../adapters/dynamodb/items/item.ts';
import { createDynamoDbCredentialEnds } from '../../../adapters/dynamodb/pages/credential-ends.ts';
import { syntheticClientId } from '../../../contract/synthetic-check.ts';
import { endsAttribute } from '../../../contract/tables.ts';
import type { ApiKey } from '../../../core/api-key/api-key.ts';
import type { Client } from '../../../core/client/client.ts';
import { collect, readEvery } from '../../../core/paging.ts';
import { personStop } from '../../../lab/support/stops.ts';

const hash = `sha256$${'A'.repeat(43)}`;
const common = {
  name: 'Billing',
  serviceTrunkGroup: 'tg-1',
  version: 1,
  createdAt: 1,
  updatedAt: 1,
};
const client: Client = {
  ...common,
  clientId: 'client_1',
  audiences: [],
  tokenLifetime: 60,
  scopes: [],
  secrets: [
    { secretId: 'secret_1', hash, createdAt: 1, expiresAt: 100 },
    { secretId: 'secret_2', hash, createdAt: 1, expiresAt: 200, stops: personStop },
    { secretId: 'secret_3', hash, createdAt: 1 },
  ],
};
const key: ApiKey = {
  ...common,
  keyId: 'key_1',
  hash,
  subnets: [],
  expiresAt: 300,
  oldValues: [
    { valueId: 'key_1', hash, expiresAt: 150 },
    { valueId: 'value_2', hash, expiresAt: 400 },
  ],
};

describe('the attribute of the index', () => {
  it('goes with the stop that needs no function', () => {
    const page = readFileSync('docs/procedures/stop-a-client-without-the-function.md', 'utf8');
    expect(page).toMatch(new RegExp(`'SET stops = :stops, .* REMOVE ${endsAttribute}'`));
  });

  it.each<[string, Item, unknown]>([
    ['enabled secrets that expire', toClientItem(client), { secret_1: 100 }],
    ['nothing of a disabled client', toClientItem({ ...client, stops: personStop }), undefined],
    [
      'nothing of a synthetic check',
      toClientItem({ ...client, clientId: syntheticClientId('slc') }),
      undefined,
    ],
    [
      'the key, and a replaced value that expires before it',
      toApiKeyItem(key),
      { key_1: 300, 'key_1/key_1': 150 },
    ],
    ['nothing of a disabled key', toApiKeyItem({ ...key, stops: personStop }), undefined],
  ])('has %s', (_, item, ends) => {
    expect(item['ends']).toEqual(ends);
  });

  it('is not part of the record', () => {
    expect(toClient(parseClientItem(toClientItem(client)))).toEqual(client);
    expect(parseApiKeyItem(toApiKeyItem(key))).toEqual(key);
  });
});

const entry = (kind: 'client' | 'key', group: string, number: number): Item => ({
  [`${kind}_id`]: `${kind}_${number}`,
  service_trunk_group: group,
  name: `Name ${number}`,
  ends: { [kind === 'key' ? `key_${number}` : `secret_${number}`]: number },
});

/** The two indexes, of which a read has two entries. */
function createReader(entries: Readonly<Record<string, readonly Item[]>>) {
  const reads: (QueryCommandInput & ScanCommandInput)[] = [];
  const read = async (input: QueryCommandInput & ScanCommandInput) => {
    reads.push(input);
    const { ':group': group } = input.ExpressionAttributeValues ?? {};
    const all = (entries[input.TableName ?? ''] ?? []).filter(
      (item) => group === undefined || item['service_trunk_group'] === group,
    );
    const { ExclusiveStartKey: start } = input;
    const from =
      start === undefined ? 0 : all.findIndex((one) => one['name'] === start['name']) + 1;
    const items = all.slice(from, from + 2);
    const last = from + 2 < all.length ? items.at(-1) : undefined;
    const { ends: _, ...key } = last ?? {};
    return { Items: items, ScannedCount: items.length, LastEvaluatedKey: last && key };
  };
  const dynamodb = { scan: read, query: read } as unknown as DynamoDbDocuments;
  const names = { clients: 'clients', apiKeys: 'keys' };
  return { reads, list: createDynamoDbCredentialEnds(dynamodb, names) };
}

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number + 1);
const between = [0, 1000] as const;

describe('the ends of credentials', () => {
  const clients = numbers(9).map((number) => entry('client', `tg-${number % 2}`, number));
  const keys = numbers(3).map((number) => entry('key', 'tg-0', 100 + number));

  it('are read four times for a page, and every one once over all pages', async () => {
    const { reads, list } = createReader({ clients, keys });
    const page = await list.readEnds({ between });
    expect([reads.length, page.items.length, page.examined]).toEqual([4, 8, 8]);
    const all = await collect(readEvery((after) => list.readEnds({ between, after })));
    expect(all.map(({ kind, expiresAt }) => [kind, expiresAt])).toEqual([
      ...numbers(9).map((number) => ['client_secret', number]),
      ...numbers(3).map((number) => ['api_key', 100 + number]),
    ]);
    expect(all[0]).toEqual({
      kind: 'client_secret',
      serviceTrunkGroup: 'tg-1',
      name: 'Name 1',
      id: 'client_1',
      valueId: 'secret_1',
      expiresAt: 1,
    });
    expect(all.at(-1)).toMatchObject({ id: 'key_103', valueId: undefined });
  });

  it('are only those of the trunk groups, one query for each table', async () => {
    const { reads, list } = createReader({ clients: clients.slice(0, 4), keys });
    const page = await list.readEnds({ between, trunkGroups: ['tg-1'] });
    expect(page.items.map(({ id }) => id)).toEqual(['client_1', 'client_3']);
    expect(page.next).toBeUndefined();
    expect(reads).toHaveLength(2);
    expect(await list.readEnds({ between, trunkGroups: [] })).toEqual({ items: [], examined: 0 });
  });

  it('are those after a time and until another', async () => {
    const { list } = createReader({ clients: clients.slice(0, 3), keys: [] });
    const { items } = await list.readEnds({ between: [1, 2] });
    expect(items.map(({ expiresAt }) => expiresAt)).toEqual([2]);
  });

  it('stop within a read that has very many, and go on there', async () => {
    const ends = (from: number) =>
      Object.fromEntries(numbers(3000).map((number) => [`secret_${from + number}`, 1]));
    const many = [0, 3000].map((from) => ({ ...entry('client', 'tg-1', from), ends: ends(from) }));
    const { list } = createReader({ clients: [...many, entry('client', 'tg-1', 9)], keys: [] });
    const page = await list.readEnds({ between });
    expect(page.items).toHaveLength(6000);
    const rest = await list.readEnds({ between, after: page.next });
    expect(rest.items.map(({ id }) => id)).toEqual(['client_9']);
  });

  it.each(['x', '[9]', '[0,"tg-2","Name 1","client_1"]', '[0,"tg-1"]', '[-1]', '[0.5]'])(
    'refuse the position %s',
    async (after) => {
      const { reads, list } = createReader({ clients, keys });
      await expect(list.readEnds({ between, trunkGroups: ['tg-1'], after })).rejects.toThrow(
        'the nextCursor of a page of the same list',
      );
      expect(reads).toEqual([]);
    },
  );
});
