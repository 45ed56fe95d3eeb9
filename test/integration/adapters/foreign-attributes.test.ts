import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createJsonDynamoDb } from '../../../adapters/aws-json-clients.ts';
import { createJsonCalls } from '../../../adapters/dynamodb/clients/json-calls.ts';
import { createDynamoDbClientReader } from '../../../adapters/dynamodb/stores/client-reader.ts';
import { createDynamoDbClientStore } from '../../../adapters/dynamodb/stores/client-store.ts';
import type { Client } from '../../../core/client/client.ts';
import { MalformedRecordError } from '../../../core/errors.ts';
import { collect } from '../../../core/paging.ts';
import { createAwsClients } from '../../../lab/support/aws-clients.ts';
import { testAwsEnvironment, testAwsOptions } from './dynalite.ts';
import { type StubServer, startStub } from './stub-server.ts';

let stub: StubServer;
let aws: ReturnType<typeof createAwsClients>;
/** What a read returns: of one item, and of all. */
let stored: unknown;
let listed: readonly unknown[] | undefined;

beforeAll(async () => {
  stub = await startStub(({ operation }) => ({
    status: 200,
    body: operation === 'GetItem' ? { Item: stored } : { Items: listed },
  }));
  aws = createAwsClients(testAwsOptions(stub.endpoint));
});
afterAll(() => stub.close());
beforeEach(() => {
  stored = undefined;
  listed = undefined;
});

const client: Client = {
  clientId: 'client_1',
  name: 'billing',
  serviceTrunkGroup: 'tg-1',
  audiences: ['https://api.example.com'],
  tokenLifetime: 3600,
  scopes: ['messaging:view', 'calls:view'],
  secrets: [],
  version: 1,
  createdAt: 1_800_000_000,
  updatedAt: 1_800_000_002,
};
const item = {
  client_id: { S: 'client_1' },
  schema_version: { N: '1' },
  name: { S: 'billing' },
  service_trunk_group: { S: 'tg-1' },
  audiences: { L: [{ S: 'https://api.example.com' }] },
  token_lifetime: { N: '3600' },
  scopes: { L: [{ S: 'messaging:view' }, { S: 'calls:view' }] },
  secrets: { M: {} },
  version: { N: '1' },
  created_at: { N: '1800000000' },
  updated_at: { N: '1800000002' },
};

const readers = [
  ['the SDK', () => createDynamoDbClientReader(aws.dynamodb, 'clients')],
  [
    'the client of the token path',
    () =>
      createDynamoDbClientReader(
        createJsonCalls(createJsonDynamoDb(testAwsEnvironment(stub.endpoint))),
        'clients',
      ),
  ],
] as const;

describe('an attribute of a type that no item has', () => {
  const foreign: readonly [string, object][] = [
    ['bytes', { name: { B: 'YmlsbGluZw==' } }],
    ['bytes in a list', { scopes: { L: [{ S: 'calls:view' }, { B: 'YQ==' }] } }],
    ['a set of bytes', { scopes: { BS: ['YQ=='] } }],
    ['a set of text', { scopes: { SS: ['calls:view'] } }],
    ['a set in place of a map', { secrets: { SS: ['secret_a'] } }],
    ['a set of numbers', { secrets: { NS: ['1'] } }],
    ['null', { stops: { NULL: true } }],
    ['an integer beyond what is exact', { version: { N: '9007199254740993' } }],
    ['a fraction beyond what is exact', { version: { N: '9007199254740993.5' } }],
    ['a number beyond all', { version: { N: '1E+125' } }],
  ];

  it.each(readers.flatMap(([name, open]) => foreign.map((one) => [name, ...one, open] as const)))(
    'fails the reading of that item: through %s, %s',
    async (_name, _type, change, open) => {
      const reader = open();
      stored = item;
      expect(await reader.findClient('client_1')).toEqual(client);
      stored = { ...item, ...change };
      await expect(reader.findClient('client_1')).rejects.toThrow(MalformedRecordError);
      stored = item;
      expect(await reader.findClient('client_1')).toEqual(client);
    },
  );

  it.each(foreign)('leaves the rest of a list: %s', async (_type, change) => {
    listed = [
      item,
      { ...item, client_id: { S: 'client_0000000000000000000bad' }, ...change },
      item,
    ];
    const reported: string[] = [];
    const store = createDynamoDbClientStore(aws.dynamodb, 'clients', {
      onMalformedRecord: ({ message }) => reported.push(message),
    });
    expect(await collect(store.list())).toEqual([client, client]);
    expect(reported).toEqual([expect.stringContaining('client "client_0000000000000000000bad"')]);
  });
});
