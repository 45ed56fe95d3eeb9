import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createJsonDynamoDb } from '../../../adapters/aws-json-clients.ts';
import { createJsonCalls } from '../../../adapters/dynamodb/clients/json-calls.ts';
import { createDynamoDbApiKeyStore } from '../../../adapters/dynamodb/stores/api-key-store.ts';
import { createDynamoDbAuditLog } from '../../../adapters/dynamodb/stores/audit-log.ts';
import { createDynamoDbClientReader } from '../../../adapters/dynamodb/stores/client-reader.ts';
import { createDynamoDbClientStore } from '../../../adapters/dynamodb/stores/client-store.ts';
import { createDynamoDbIdentityProviderStore } from '../../../adapters/dynamodb/stores/identity-provider-store.ts';
import { createDynamoDbRotationStore } from '../../../adapters/dynamodb/stores/rotation-store.ts';
import { createDynamoDbSigningKeyReader } from '../../../adapters/dynamodb/stores/signing-key-reader.ts';
import type { Client } from '../../../core/client/client.ts';
import { MalformedRecordError } from '../../../core/errors.ts';
import { collect } from '../../../core/paging.ts';
import { createAwsClients } from '../../../lab/support/aws-clients.ts';
import { testAwsEnvironment, testAwsOptions } from './dynalite.ts';
import { type StubServer, startStub } from './stub-server.ts';

/*
 * What goes over the wire, attribute by attribute. Deployed functions of the previous version read
 * and write the same tables, so these bodies change only together with `schema_version`.
 */

let stub: StubServer;
let aws: ReturnType<typeof createAwsClients>;
/** What a read returns: of one item, and of all. */
let stored: unknown;
let listed: readonly unknown[] | undefined;
let seen = 0;

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
  seen = stub.calls.length;
});

const sent = () => stub.calls.slice(seen).map(({ operation, input }) => ({ operation, ...input }));

const absent = (key: string) => ({
  ConditionExpression: 'attribute_not_exists(#key)',
  ExpressionAttributeNames: { '#key': key },
});
const having = (attribute: string, value: object) => ({
  ConditionExpression: '#attribute = :value',
  ExpressionAttributeNames: { '#attribute': attribute },
  ExpressionAttributeValues: { ':value': value },
});

const client: Client = {
  clientId: 'client_1',
  name: 'billing',
  serviceTrunkGroup: 'tg-1',
  audiences: ['https://api.example.com'],
  tokenLifetime: 3600,
  scopes: ['messaging:view', 'calls:view'],
  enabled: true,
  secrets: [
    { secretId: 'secret_a', hash: 'sha256$a', createdAt: 1_800_000_000 },
    {
      secretId: 'secret_b',
      hash: 'sha256$b',
      name: 'old',
      createdAt: 1_800_000_001,
      expiresAt: 253_402_300_799,
      lastUsedOn: '2026-11-20',
    },
  ],
  version: 1,
  createdAt: 1_800_000_000,
  updatedAt: 1_800_000_002,
};
const clientItem = {
  client_id: { S: 'client_1' },
  schema_version: { N: '1' },
  name: { S: 'billing' },
  service_trunk_group: { S: 'tg-1' },
  audiences: { L: [{ S: 'https://api.example.com' }] },
  token_lifetime: { N: '3600' },
  scopes: { L: [{ S: 'messaging:view' }, { S: 'calls:view' }] },
  enabled: { BOOL: true },
  secrets: {
    M: {
      secret_a: { M: { hash: { S: 'sha256$a' }, created_at: { N: '1800000000' } } },
      secret_b: {
        M: {
          hash: { S: 'sha256$b' },
          name: { S: 'old' },
          created_at: { N: '1800000001' },
          expires_at: { N: '253402300799' },
          last_used_on: { S: '2026-11-20' },
        },
      },
    },
  },
  ends: { M: { secret_b: { N: '253402300799' } } },
  version: { N: '1' },
  created_at: { N: '1800000000' },
  updated_at: { N: '1800000002' },
};

describe('the stored form of a client', () => {
  const open = () => createDynamoDbClientStore(aws.dynamodb, 'clients', { consistentRead: true });

  it('has lists and maps, numbers in decimal, and no attribute for what is absent', async () => {
    await open().create(client);
    expect(sent()).toEqual([
      { operation: 'PutItem', TableName: 'clients', Item: clientItem, ...absent('client_id') },
    ]);
  });

  it('has no secrets under a provider', async () => {
    const { ends: _, ...withoutEnds } = clientItem;
    await open().create({
      ...client,
      audiences: [],
      scopes: [],
      enabled: false,
      secrets: [],
      provider: {
        issuer: 'https://idp.example.com',
        registrationId: 'idp_1',
        externalClientId: 'ext-1',
      },
    });
    expect(sent()).toMatchObject([
      {
        Item: {
          ...withoutEnds,
          audiences: { L: [] },
          scopes: { L: [] },
          enabled: { BOOL: false },
          secrets: { M: {} },
          provider: {
            M: {
              issuer: { S: 'https://idp.example.com' },
              registration_id: { S: 'idp_1' },
              external_client_id: { S: 'ext-1' },
            },
          },
        },
      },
    ]);
  });

  it('is changed by attribute: set, removed, added and deleted', async () => {
    stored = clientItem;
    const [, second] = client.secrets as [unknown, Client['secrets'][number]];
    await open().replace({
      ...client,
      name: 'invoices',
      scopes: [],
      secrets: [
        { ...second, name: undefined, expiresAt: 1_900_000_000 },
        { secretId: 'secret_c', hash: 'sha256$c', createdAt: 1_800_000_003 },
      ],
      version: 2,
    });
    const Key = { client_id: { S: 'client_1' } };
    expect(sent()).toEqual([
      { operation: 'GetItem', TableName: 'clients', Key, ConsistentRead: true },
      {
        operation: 'UpdateItem',
        TableName: 'clients',
        Key,
        ConditionExpression: '#attribute = :value',
        UpdateExpression: 'SET #0=:0,#1=:1,#2=:2,#3=:3,#4.#6.#7=:4,#4.#8=:5 REMOVE #4.#5,#4.#6.#1',
        ExpressionAttributeNames: {
          '#attribute': 'version',
          '#0': 'ends',
          '#1': 'name',
          '#2': 'scopes',
          '#3': 'version',
          '#4': 'secrets',
          '#5': 'secret_a',
          '#6': 'secret_b',
          '#7': 'expires_at',
          '#8': 'secret_c',
        },
        ExpressionAttributeValues: {
          ':value': { N: '1' },
          ':0': { M: { secret_b: { N: '1900000000' } } },
          ':1': { S: 'invoices' },
          ':2': { L: [] },
          ':3': { N: '2' },
          ':4': { N: '1900000000' },
          ':5': { M: { hash: { S: 'sha256$c' }, created_at: { N: '1800000003' } } },
        },
      },
    ]);
  });

  it('is deleted by its version', async () => {
    await open().delete('client_1', 7);
    const Key = { client_id: { S: 'client_1' } };
    expect(sent()).toEqual([
      { operation: 'DeleteItem', TableName: 'clients', Key, ...having('version', { N: '7' }) },
    ]);
  });
});

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

describe('the requests of readers', () => {
  it.each(readers)('are the same through %s', async (_, open) => {
    stored = clientItem;
    const reader = open();
    expect(await reader.findClient('client_1')).toEqual(client);
    await reader.recordUse('client_1', 'secret_a', '2026-11-20');
    const Key = { client_id: { S: 'client_1' } };
    expect(sent()).toEqual([
      { operation: 'GetItem', TableName: 'clients', Key, ConsistentRead: false },
      {
        operation: 'UpdateItem',
        TableName: 'clients',
        Key,
        UpdateExpression: 'SET secrets.#id.last_used_on = :day',
        ConditionExpression:
          'attribute_exists(secrets.#id) AND ' +
          '(attribute_not_exists(secrets.#id.last_used_on) OR secrets.#id.last_used_on < :day)',
        ExpressionAttributeNames: { '#id': 'secret_a' },
        ExpressionAttributeValues: { ':day': { S: '2026-11-20' } },
      },
    ]);
  });

  it('ask for one partition of the signing keys', async () => {
    const calls = createJsonCalls(createJsonDynamoDb(testAwsEnvironment(stub.endpoint)));
    await createDynamoDbSigningKeyReader(calls, 'keys').listSigningKeys();
    await createDynamoDbRotationStore(aws.dynamodb, 'keys').listSigningKeys();
    const query = {
      operation: 'Query',
      TableName: 'keys',
      KeyConditionExpression: '#key = :value',
      ExpressionAttributeNames: { '#key': 'record_type' },
      ExpressionAttributeValues: { ':value': { S: 'signing_key' } },
    };
    expect(sent()).toEqual([
      { ...query, ConsistentRead: false },
      { ...query, ConsistentRead: true },
    ]);
  });
});

describe('an attribute of a type that no item has', () => {
  const item = { ...clientItem, secrets: { M: {} } };
  const readable = { ...client, secrets: [] };
  const foreign: readonly [string, object][] = [
    ['bytes', { name: { B: 'YmlsbGluZw==' } }],
    ['bytes in a list', { scopes: { L: [{ S: 'calls:view' }, { B: 'YQ==' }] } }],
    ['a set of bytes', { scopes: { BS: ['YQ=='] } }],
    ['a set of text', { scopes: { SS: ['calls:view'] } }],
    ['a set in place of a map', { secrets: { SS: ['secret_a'] } }],
    ['a set of numbers', { secrets: { NS: ['1'] } }],
    ['null', { enabled: { NULL: true } }],
    ['an integer beyond what is exact', { version: { N: '9007199254740993' } }],
    ['a fraction beyond what is exact', { version: { N: '9007199254740993.5' } }],
    ['a number beyond all', { version: { N: '1E+125' } }],
  ];

  it.each(readers.flatMap(([name, open]) => foreign.map((one) => [name, ...one, open] as const)))(
    'fails the reading of that item: through %s, %s',
    async (_name, _type, change, open) => {
      const reader = open();
      stored = item;
      expect(await reader.findClient('client_1')).toEqual(readable);
      stored = { ...item, ...change };
      await expect(reader.findClient('client_1')).rejects.toThrow(MalformedRecordError);
      stored = item;
      expect(await reader.findClient('client_1')).toEqual(readable);
    },
  );

  it.each(foreign)('leaves the rest of a list: %s', async (_type, change) => {
    listed = [item, { ...item, client_id: { S: 'client_bad' }, ...change }, item];
    const reported: string[] = [];
    const store = createDynamoDbClientStore(aws.dynamodb, 'clients', {
      onMalformedRecord: ({ message }) => reported.push(message),
    });
    expect(await collect(store.list())).toEqual([readable, readable]);
    expect(reported).toEqual([expect.stringContaining('client "client_bad"')]);
  });
});

describe('the stored form of other records', () => {
  it('is a list of maps for the subnets of an API key', async () => {
    const store = createDynamoDbApiKeyStore(aws.dynamodb, 'api-keys');
    const apiKey = {
      keyId: 'key_1',
      hash: 'sha256$k',
      name: 'office',
      enabled: true,
      serviceTrunkGroup: 'tg-1',
      subnets: [{ subnetId: 'subnet_1', name: 'lan', address: '2001:db8::', prefixLength: 32 }],
      version: 3,
      createdAt: 1,
      updatedAt: 0,
    };
    await store.replace(apiKey);
    const Item = {
      key_id: { S: 'key_1' },
      schema_version: { N: '1' },
      hash: { S: 'sha256$k' },
      name: { S: 'office' },
      enabled: { BOOL: true },
      service_trunk_group: { S: 'tg-1' },
      subnets: {
        L: [
          {
            M: {
              subnet_id: { S: 'subnet_1' },
              name: { S: 'lan' },
              address: { S: '2001:db8::' },
              prefix_length: { N: '32' },
            },
          },
        ],
      },
      version: { N: '3' },
      created_at: { N: '1' },
      updated_at: { N: '0' },
    };
    expect(sent()).toEqual([
      { operation: 'PutItem', TableName: 'api-keys', Item, ...having('version', { N: '2' }) },
    ]);
  });

  it('is text and a list for an identity provider, deleted by its registration', async () => {
    const store = createDynamoDbIdentityProviderStore(aws.dynamodb, 'providers');
    await store.createIdentityProvider({
      issuer: 'https://idp.example.com',
      registrationId: 'idp_1',
      discoveryUrl: 'https://idp.example.com/.well-known/openid-configuration',
      jwksUri: 'https://idp.example.com/jwks',
      allowedAlgorithms: ['RS256', 'ES256'],
      registeredAt: 1_800_000_000,
    });
    await store.deleteIdentityProvider('https://idp.example.com', 'idp_1');
    const issuer = { S: 'https://idp.example.com' };
    expect(sent()).toEqual([
      {
        operation: 'PutItem',
        TableName: 'providers',
        Item: {
          issuer,
          schema_version: { N: '1' },
          registration_id: { S: 'idp_1' },
          discovery_url: { S: 'https://idp.example.com/.well-known/openid-configuration' },
          jwks_uri: { S: 'https://idp.example.com/jwks' },
          allowed_algorithms: { L: [{ S: 'RS256' }, { S: 'ES256' }] },
          registered_at: { N: '1800000000' },
        },
        ...absent('issuer'),
      },
      {
        operation: 'DeleteItem',
        TableName: 'providers',
        Key: { issuer },
        ...having('registration_id', { S: 'idp_1' }),
      },
    ]);
  });

  const kid = 'k'.repeat(43);
  const kmsKeyArn = 'arn:aws:kms:us-west-2:000000000000:key/1';
  const publicJwk = {
    kid,
    alg: 'ES256',
    use: 'sig',
    kty: 'EC',
    crv: 'P-256',
    x: 'x',
    y: 'y',
  } as const;
  const publicJwkItem = {
    M: {
      kid: { S: kid },
      alg: { S: 'ES256' },
      use: { S: 'sig' },
      kty: { S: 'EC' },
      crv: { S: 'P-256' },
      x: { S: 'x' },
      y: { S: 'y' },
    },
  };

  it('holds the public key and the times of a signing key that it has', async () => {
    await createDynamoDbRotationStore(aws.dynamodb, 'keys').createSigningKey({
      kid,
      regionId: 'slc',
      alg: 'ES256',
      kmsKeyArn,
      publicJwk,
      state: 'current',
      publishedAt: 1_800_000_000,
      activatedAt: 1_800_000_001,
      version: 2,
    });
    const Item = {
      record_type: { S: 'signing_key' },
      record_id: { S: kid },
      schema_version: { N: '1' },
      region_id: { S: 'slc' },
      alg: { S: 'ES256' },
      kms_key_arn: { S: kmsKeyArn },
      public_jwk: publicJwkItem,
      state: { S: 'current' },
      published_at: { N: '1800000000' },
      activated_at: { N: '1800000001' },
      version: { N: '2' },
    };
    expect(sent()).toEqual([
      { operation: 'PutItem', TableName: 'keys', Item, ...absent('record_type') },
    ]);
  });

  it('holds the intents, heartbeats and choice of the rotation', async () => {
    const store = createDynamoDbRotationStore(aws.dynamodb, 'keys');
    const intent = {
      slot: 'first',
      intentId: 'intent_1',
      regionId: 'slc',
      alg: 'ES256',
      holder: 'run-1',
      leaseUntil: 1_800_000_000,
      closed: false,
      version: 1,
    } as const;
    await store.putKeyIntent(intent);
    await store.putKeyIntent({ ...intent, kmsKeyArn, publicJwk, version: 2 });
    await store.putHeartbeat({ regionId: 'slc', at: 1_800_000_000 });
    await store.putAlgorithmChoice({
      alg: 'ES256',
      insteadOf: 'RS256',
      chosenAt: 1_800_000_000,
    });
    const put = { operation: 'PutItem', TableName: 'keys' };
    const intentItem = {
      record_type: { S: 'key_intent' },
      record_id: { S: 'first' },
      schema_version: { N: '1' },
      intent_id: { S: 'intent_1' },
      region_id: { S: 'slc' },
      alg: { S: 'ES256' },
      holder: { S: 'run-1' },
      lease_until: { N: '1800000000' },
      closed: { BOOL: false },
      version: { N: '1' },
    };
    expect(sent()).toEqual([
      { ...put, Item: intentItem, ...absent('record_type') },
      {
        ...put,
        Item: {
          ...intentItem,
          kms_key_arn: { S: kmsKeyArn },
          public_jwk: publicJwkItem,
          version: { N: '2' },
        },
        ...having('version', { N: '1' }),
      },
      {
        ...put,
        Item: {
          record_type: { S: 'region_heartbeat' },
          record_id: { S: 'slc' },
          schema_version: { N: '1' },
          at: { N: '1800000000' },
        },
      },
      {
        ...put,
        Item: {
          record_type: { S: 'key_choice' },
          record_id: { S: 'algorithm' },
          schema_version: { N: '1' },
          alg: { S: 'ES256' },
          instead_of: { S: 'RS256' },
          chosen_at: { N: '1800000000' },
        },
      },
    ]);
  });

  it('holds what an audit record says about before and after, at any depth', async () => {
    const audit = createDynamoDbAuditLog(aws.dynamodb, 'audit');
    await audit.appendAudit({
      time: '2026-01-01T00:00:00.000Z',
      recordId: 'r1',
      actor: 'arn:aws:iam::000000000000:user/a',
      action: 'client.create',
      subject: 'client_1',
      outcome: 'intended',
      after: {
        name: '',
        count: -1.5,
        none: null,
        absent: undefined,
        list: [true, { absent: undefined, deep: [[]] }],
      },
    });
    await collect(audit.listAudit('2026-01-01'));
    expect(sent()).toEqual([
      {
        operation: 'PutItem',
        TableName: 'audit',
        Item: {
          day: { S: '2026-01-01' },
          record_id: { S: '2026-01-01T00:00:00.000Z#r1' },
          schema_version: { N: '1' },
          time: { S: '2026-01-01T00:00:00.000Z' },
          actor: { S: 'arn:aws:iam::000000000000:user/a' },
          action: { S: 'client.create' },
          subject: { S: 'client_1' },
          outcome: { S: 'intended' },
          after: {
            M: {
              name: { S: '' },
              count: { N: '-1.5' },
              none: { NULL: true },
              list: { L: [{ BOOL: true }, { M: { deep: { L: [{ L: [] }] } } }] },
            },
          },
        },
        ...absent('day'),
      },
      {
        operation: 'Query',
        TableName: 'audit',
        KeyConditionExpression: '#key = :value',
        ExpressionAttributeNames: { '#key': 'day' },
        ExpressionAttributeValues: { ':value': { S: '2026-01-01' } },
        ConsistentRead: false,
      },
    ]);
  });
});
