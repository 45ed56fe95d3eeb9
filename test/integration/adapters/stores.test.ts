import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toApiKeyItem } from '../../../adapters/dynamodb/items/api-key-item.ts';
import { toIdentityProviderItem } from '../../../adapters/dynamodb/items/identity-provider-item.ts';
import type { Item } from '../../../adapters/dynamodb/items/item.ts';
import { createDynamoDbApiKeyStore } from '../../../adapters/dynamodb/stores/api-key-store.ts';
import { createDynamoDbAuditLog } from '../../../adapters/dynamodb/stores/audit-log.ts';
import { createDynamoDbIdentityProviderStore } from '../../../adapters/dynamodb/stores/identity-provider-store.ts';
import {
  createDynamoDbRotationStore,
  createDynamoDbSigningKeyStore,
} from '../../../adapters/dynamodb/stores/rotation-store.ts';
import { createDynamoDbSettings } from '../../../adapters/dynamodb/stores/setting-stores.ts';
import type { TableKey } from '../../../contract/tables.ts';
import { signingKeyStates } from '../../../contract/tables.ts';
import type { ApiKey } from '../../../core/api-key/api-key.ts';
import type { AuditRecord } from '../../../core/audit/audit-log.ts';
import { ConflictError, MalformedRecordError } from '../../../core/errors.ts';
import type { IdentityProvider } from '../../../core/identity-provider/identity-provider.ts';
import { collect } from '../../../core/paging.ts';
import { exampleSigningKey } from '../../../lab/support/signing-keys.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { apiKey, auditRecord, identityProvider, time } from '../../support/arbitraries.ts';
import { startTables, type TestTables } from './dynamodb-tables.ts';

const tableKeys = ['apiKeys', 'identityProviders', 'signingKeys', 'settings', 'audit'] as const;
let tables: TestTables;
let malformed: MalformedRecordError[] = [];
const options = {
  consistentRead: true,
  onMalformedRecord: (error: MalformedRecordError) => malformed.push(error),
};

beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.close());
beforeEach(async () => {
  malformed = [];
  for (const key of tableKeys) await tables.empty(key);
});

const put = (key: TableKey, Item: Item) =>
  tables.dynamodb.put({ TableName: tables.nameOf(key), Item });

describe('the API key store', () => {
  const open = () => createDynamoDbApiKeyStore(tables.dynamodb, tables.nameOf('apiKeys'), options);
  const example: ApiKey = {
    keyId: 'key_1',
    hash: 'sha256$SECRETHASH',
    name: 'office',
    serviceTrunkGroup: 'tg-1',
    subnets: [{ subnetId: 'subnet_1', name: 'lan', address: '203.0.113.0', prefixLength: 24 }],
    version: 1,
    createdAt: 1,
    updatedAt: 1,
  };

  it('returns every key as it was created, and as it was replaced', async () => {
    await fc.assert(
      fc.asyncProperty(apiKey, apiKey, async (from, to) => {
        await tables.empty('apiKeys');
        const store = open();
        await store.create(from);
        expect(await store.find(from.keyId)).toEqual(from);
        const changed = { ...to, keyId: from.keyId, version: from.version + 1 };
        await store.replace(changed);
        expect(await collect(store.list())).toEqual([changed]);
      }),
      { numRuns: 50 },
    );
  });

  it('loses no update', async () => {
    const store = open();
    expect(await store.find('key_1')).toBeUndefined();
    await expect(store.replace({ ...example, version: 2 })).rejects.toThrow(ConflictError);
    await store.create(example);
    await expect(store.create(example)).rejects.toThrow(ConflictError);
    await store.replace({ ...example, stops: personStop, version: 2 });
    await expect(store.replace({ ...example, version: 2 })).rejects.toThrow(ConflictError);
    await expect(store.delete('key_1', 1)).rejects.toThrow(ConflictError);
    expect(await store.find('key_1')).toMatchObject({ stops: personStop, version: 2 });
    await store.delete('key_1', 2);
    await expect(store.delete('key_1', 2)).rejects.toThrow(ConflictError);
  });

  const subnet = (address: string, prefixLength: number) => ({
    ...example,
    subnets: [{ subnetId: 'subnet_1', name: 'lan', address, prefixLength }],
  });
  it.each([
    ['every source', subnet('0.0.0.0', 0)],
    ['more bits than an address has', subnet('203.0.113.0', 33)],
    ['no address', subnet('203.0.113', 24)],
    ['an address in octal', subnet('0203.0.113.0', 24)],
    ['a fraction of a bit', subnet('203.0.113.0', 8.5)],
  ])('neither writes nor reads a subnet of %s', async (_, key) => {
    const store = open();
    await expect(store.create(key)).rejects.toThrow(MalformedRecordError);
    await store.create(example);
    const [{ address, prefixLength }] = key.subnets as [(typeof key.subnets)[number]];
    const stored = { subnet_id: 'subnet_1', name: 'lan', address, prefix_length: prefixLength };
    await put('apiKeys', { ...toApiKeyItem(example), key_id: 'key_2', subnets: [stored] });
    await expect(store.find('key_2')).rejects.toThrow(
      /the item of API key "key_2" cannot be read: subnets\.0/,
    );
    expect(await collect(store.list())).toEqual([example]);
    expect(malformed).toHaveLength(1);
    expect(malformed[0]?.message).not.toContain('SECRETHASH');
  });
});

describe('the identity provider store', () => {
  const open = () =>
    createDynamoDbIdentityProviderStore(
      tables.dynamodb,
      tables.nameOf('identityProviders'),
      options,
    );
  const example: IdentityProvider = {
    issuer: 'https://idp.example.com',
    registrationId: 'idp_1',
    discoveryUrl: 'https://idp.example.com/.well-known/openid-configuration',
    jwksUri: 'https://idp.example.com/jwks',
    allowedAlgorithms: ['RS256'],
    registeredAt: 1,
  };

  it('returns every provider as it was registered', async () => {
    await fc.assert(
      fc.asyncProperty(identityProvider, async (provider) => {
        await tables.empty('identityProviders');
        const store = open();
        await store.createIdentityProvider(provider);
        expect(await store.findIdentityProvider(provider.issuer)).toEqual(provider);
        expect(await collect(store.listIdentityProviders())).toEqual([provider]);
      }),
      { numRuns: 40 },
    );
  });

  it('loses no stop to a change that does not know it', async () => {
    const store = open();
    await store.createIdentityProvider(example);
    const stopped = { ...example, stops: personStop };
    await store.replaceIdentityProvider({ ...example, ownedBy: 'tg-1' }, example);
    await store.replaceIdentityProvider(stopped, example);
    const other = { stops: { deletion: { at: 2, by: 'arn' } } };
    for (const before of [example, other]) {
      await expect(store.replaceIdentityProvider(example, before)).rejects.toThrow(ConflictError);
    }
    await store.replaceIdentityProvider({ ...stopped, ownedBy: 'tg-1' }, stopped);
    await store.replaceIdentityProvider(example, stopped);
    expect(await store.findIdentityProvider(example.issuer)).toEqual(example);
    await store.deleteIdentityProvider(example.issuer, example.registrationId);
  });

  it('registers an issuer once and deletes only that registration', async () => {
    const store = open();
    await store.createIdentityProvider(example);
    await expect(
      store.createIdentityProvider({ ...example, registrationId: 'idp_2' }),
    ).rejects.toThrow(ConflictError);
    await expect(store.deleteIdentityProvider(example.issuer, 'idp_2')).rejects.toThrow(
      ConflictError,
    );
    await store.deleteIdentityProvider(example.issuer, 'idp_1');
    expect(await store.findIdentityProvider(example.issuer)).toBeUndefined();
  });

  it('takes an issuer exactly, its last slash included', async () => {
    const store = open();
    await store.createIdentityProvider(example);
    expect(await store.findIdentityProvider(`${example.issuer}/`)).toBeUndefined();
  });

  it('fails a provider without algorithms, which would be a provider of any', async () => {
    const store = open();
    await store.createIdentityProvider(example);
    const issuer = 'https://bad.example.com';
    await put('identityProviders', {
      ...toIdentityProviderItem(example),
      issuer,
      allowed_algorithms: [],
    });
    await expect(store.findIdentityProvider(issuer)).rejects.toThrow(MalformedRecordError);
    expect(await collect(store.listIdentityProviders())).toEqual([example]);
    expect(malformed).toHaveLength(1);
  });
});

describe('the signing key store', () => {
  const open = () =>
    createDynamoDbSigningKeyStore(tables.dynamodb, tables.nameOf('signingKeys'), options);
  const examples = (['RS256', 'PS256', 'ES256', 'ES384', 'ML-DSA-44', 'ML-DSA-87'] as const).map(
    (alg) => exampleSigningKey(alg),
  );
  const [rsa] = examples as [(typeof examples)[number]];

  const maybe = fc.option(time, { nil: undefined });
  const signingKey = fc
    .record({
      example: fc.constantFrom(...examples),
      rest: fc.record({
        regionId: fc.constantFrom('slc', 'dfw', 'pit'),
        state: fc.constantFrom(...signingKeyStates),
        publishedAt: time,
        activatedAt: maybe,
        retiredAt: maybe,
        withdrawAt: maybe,
        withdrawnAt: maybe,
        disabledAt: maybe,
        deletionScheduledAt: maybe,
        version: fc.integer({ min: 1, max: 1000 }),
      }),
    })
    .map(({ example, rest }) => ({ ...example, ...rest }));

  it('returns every key as it was recorded, and as it was replaced', async () => {
    await fc.assert(
      fc.asyncProperty(signingKey, signingKey, async (from, to) => {
        await tables.empty('signingKeys');
        const store = open();
        await store.createSigningKey(from);
        expect(await store.listSigningKeys()).toEqual([from]);
        const { kid, alg, publicJwk } = from;
        const changed = { ...to, kid, alg, publicJwk, version: from.version + 1 };
        await store.replaceSigningKey(changed);
        // What a key is does not change: the rotation's role may not write it.
        const { regionId, kmsKeyArn, publishedAt } = from;
        expect(await store.listSigningKeys()).toEqual([
          { ...changed, regionId, kmsKeyArn, publishedAt },
        ]);
      }),
      { numRuns: 40 },
    );
  });

  it('lists the keys of every region', async () => {
    const store = open();
    for (const key of examples) await store.createSigningKey(key);
    const kids = (await store.listSigningKeys()).map(({ kid }) => kid);
    expect(kids.toSorted()).toEqual(examples.map(({ kid }) => kid).toSorted());
  });

  it('loses no update', async () => {
    const store = open();
    await store.createSigningKey(rsa);
    await expect(store.createSigningKey(rsa)).rejects.toThrow(ConflictError);
    await store.replaceSigningKey({ ...rsa, state: 'previous', version: 2 });
    await expect(
      store.replaceSigningKey({ ...rsa, state: 'withdrawn', version: 2 }),
    ).rejects.toThrow(ConflictError);
    expect(await store.listSigningKeys()).toMatchObject([{ state: 'previous', version: 2 }]);
  });

  const jwk = (member: string, value: string) => ({
    ...rsa,
    publicJwk: { ...rsa.publicJwk, [member]: value },
  });
  it.each([
    ['with the kid of another', jwk('kid', examples[2]?.kid ?? '')],
    ['with another algorithm', { ...rsa, alg: 'PS256' as const }],
    ['of a type that the algorithm does not use', { ...rsa, publicJwk: examples[2]?.publicJwk }],
    ['with a private member', jwk('d', 'AQAB')],
    ['named by an alias', { ...rsa, kmsKeyArn: 'arn:aws:kms:us-west-2:000000000000:alias/x' }],
    ['in an unknown state', { ...rsa, state: 'active' }],
    ['of an unknown region', { ...rsa, regionId: 'lax' }],
  ])('writes no key %s', async (_, key) => {
    await expect(open().createSigningKey(key as typeof rsa)).rejects.toThrow(MalformedRecordError);
    expect(await open().listSigningKeys()).toEqual([]);
  });

  it('leaves out a key that cannot be read, and says so', async () => {
    const store = open();
    await store.createSigningKey(rsa);
    await put('signingKeys', { record_type: 'signing_key', record_id: 'bad' });
    expect(await store.listSigningKeys()).toEqual([rsa]);
    expect(malformed.map(({ message }) => message)).toEqual([
      'the item of signing key "bad" cannot be read: record_id: expected /^[A-Za-z0-9_-]{43}$/',
    ]);
  });
});

describe('the store of the rotation', () => {
  it('loses no update of an intent, and has heartbeats and the choice as they were written', async () => {
    const store = createDynamoDbRotationStore(tables.dynamodb, tables.nameOf('signingKeys'));
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
    await expect(store.putKeyIntent(intent)).rejects.toThrow(ConflictError);
    const taken = { ...intent, holder: 'run-2', version: 2 };
    await store.putKeyIntent(taken);
    await expect(store.putKeyIntent({ ...taken, holder: 'run-3' })).rejects.toThrow(ConflictError);
    const heartbeat = { regionId: 'slc', at: 1_800_000_000 } as const;
    const choice = { alg: 'ES256', insteadOf: 'RS256', chosenAt: 1_800_000_000 } as const;
    await store.putHeartbeat(heartbeat);
    await store.putAlgorithmChoice(choice);
    const runs = [
      { regionId: 'dfw', at: 1_800_000_000 },
      { regionId: 'slc', at: 1, problem: 'dfw: absent', selfTestProblem: 'denied' },
    ] as const;
    for (const run of runs) await store.putCanaryRun(run);
    expect(await store.listCanaryRuns()).toEqual(runs);
    expect(await store.listKeyIntents()).toEqual([taken]);
    expect(await store.listHeartbeats()).toEqual([heartbeat]);
    expect(await store.findAlgorithmChoice()).toEqual(choice);
    expect(await store.listSigningKeys()).toEqual([]);
  });
});

describe('the store of limits', () => {
  const openSettings = () =>
    createDynamoDbSettings(tables.dynamodb, tables.nameOf('settings'), options);
  const open = () => openSettings().trunkGroupLimits;
  const limits = (serviceTrunkGroup: string, version = 1) => ({
    serviceTrunkGroup,
    scopes: ['calls:view'],
    maxClients: 3,
    maxApiKeys: 0,
    maxTokenLifetime: 900,
    maxSecretLifetime: 86_400,
    requireSubnet: true,
    providers: [],
    version,
    updatedAt: 1,
  });

  it('returns limits as they were written, and none for a trunk group without', async () => {
    const store = open();
    expect(await store.find('tg-1')).toEqual({ serviceTrunkGroup: 'tg-1', version: 0 });
    await store.put(limits('tg-1'));
    expect(await store.find('tg-1')).toEqual(limits('tg-1'));
    const next = { serviceTrunkGroup: 'tg-1', version: 2, updatedAt: 2 };
    await store.put(next);
    expect(await store.find('tg-1')).toEqual(next);
  });

  it('loses no update', async () => {
    const store = open();
    await expect(store.put(limits('tg-1', 2))).rejects.toThrow(ConflictError);
    await store.put(limits('tg-1'));
    await expect(store.put(limits('tg-1'))).rejects.toThrow(ConflictError);
  });

  it('lists them page by page, next to signing keys that do not see them', async () => {
    const keys = createDynamoDbSigningKeyStore(tables.dynamodb, tables.nameOf('settings'), options);
    const store = open();
    await keys.createSigningKey(exampleSigningKey('ES256'));
    for (const group of ['b', 'a', 'c']) await store.put(limits(group));
    const first = await store.readPage({ limit: 2 });
    expect(first.items).toEqual([limits('a'), limits('b')]);
    const second = await store.readPage({ limit: 2, after: first.next });
    expect(second.items).toEqual([limits('c')]);
    expect(await keys.listSigningKeys()).toHaveLength(1);
    expect(malformed).toEqual([]);
  });

  it('stores owners of providers next to them, and neither sees the other', async () => {
    const owners = openSettings().providerOwners;
    const owner = (registrationId: string, version = 1) => ({
      registrationId,
      issuer: 'https://idp.example.com',
      trunkGroups: ['tg-1'],
      version,
      updatedAt: 1,
    });
    await open().put(limits('tg-1'));
    await owners.put(owner('idp_2'));
    await owners.put(owner('idp_1'));
    await expect(owners.put(owner('idp_1'))).rejects.toThrow(ConflictError);
    await expect(owners.put(owner('idp_1', 3))).rejects.toThrow(ConflictError);
    await owners.put({ ...owner('idp_1', 2), trunkGroups: [] });
    expect(await owners.find('idp_1')).toEqual({ ...owner('idp_1', 2), trunkGroups: [] });
    expect(await owners.find('tg-1')).toBeUndefined();
    await put('settings', { record_type: 'provider_owner', record_id: 'idp_3', version: -1 });
    const ids = ['idp_2', 'idp_3', 'idp_4', 'idp_1'];
    expect([...(await owners.findEach(ids)).keys()].toSorted()).toEqual(['idp_1', 'idp_2']);
    expect(malformed).toHaveLength(1);
    malformed.length = 0;
    expect((await open().readPage({ limit: 10 })).items).toEqual([limits('tg-1')]);
    expect(malformed).toEqual([]);
  });

  it('fails limits that cannot be read', async () => {
    const key = { record_type: 'trunk_group_limits', record_id: 'tg-1' };
    await put('settings', { ...key, max_clients: -1 });
    await expect(open().find('tg-1')).rejects.toThrow(MalformedRecordError);
  });
});

describe('the audit', () => {
  const open = () => createDynamoDbAuditLog(tables.dynamodb, tables.nameOf('audit'), options);

  it('returns the records of a day, each once, in the order of their times', async () => {
    const records = fc.uniqueArray(auditRecord, {
      maxLength: 8,
      selector: ({ recordId }) => recordId,
    });
    await fc.assert(
      fc.asyncProperty(records, async (all) => {
        await tables.empty('audit');
        const audit = open();
        for (const record of all) await audit.appendAudit(record);
        const key = ({ time, recordId }: AuditRecord) => `${time}#${recordId}`;
        const inOrder = all.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
        for (const day of ['2026-01-01', '2026-01-02', '2026-01-03']) {
          expect(await collect(audit.listAudit(day))).toEqual(
            inOrder.filter(({ time }) => time.startsWith(day)),
          );
        }
      }),
      { numRuns: 40 },
    );
  });

  it('never changes a record', async () => {
    const audit = open();
    const record: AuditRecord = {
      time: '2026-01-01T00:00:00.000Z',
      recordId: 'r1',
      actor: 'arn:aws:iam::000000000000:user/a',
      action: 'client.create',
      subject: 'client_1',
      outcome: 'intended',
    };
    await audit.appendAudit(record);
    await expect(audit.appendAudit({ ...record, actor: 'other' })).rejects.toThrow(ConflictError);
    expect(await collect(audit.listAudit('2026-01-01'))).toEqual([record]);
  });
});
