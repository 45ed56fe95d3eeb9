import { describe, expect, it, vi } from 'vitest';
import type { ApiKey } from '../../../core/api-key/api-key.ts';
import type { Client } from '../../../core/client/client.ts';
import { MalformedRecordError, ServiceUnavailableError } from '../../../core/errors.ts';
import {
  onlyStopsApiKey,
  onlyStopsClient,
} from '../../../core/management/trunk-group-limits/only-stops.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { createWorld, registerOwn } from '../../adapters/management/world.ts';
import { askedWorld } from './restricted-world.ts';

const failures = [
  ['are throttled', new ServiceUnavailableError('DynamoDB', 'throttled')],
  ['have an attribute of a later release', new MalformedRecordError('the limits')],
] as const;

async function worldWithoutLimits(failure: Error) {
  const asked = await askedWorld();
  const { world } = asked;
  await registerOwn(world, ['tg-1001']);
  let reads = 0;
  const fail = async () => {
    reads += 1;
    throw failure;
  };
  Object.assign(world.context, {
    trunkGroupLimits: { ...world.context.trunkGroupLimits, find: fail, readPage: fail },
  });
  const ids = () => ({
    client: { clientId: world.clientId, ifVersion: world.clients.get(world.clientId)?.version },
    key: { keyId: world.keyId, ifVersion: world.apiKeys.get(world.keyId)?.version },
  });
  const onClient = (operation: string, more: object) => {
    const { clientId, ifVersion } = ids().client;
    const options = { ifVersion };
    const input =
      'changes' in more ? { changes: { ...Object(more.changes), ...options } } : { options };
    return ask(operation, { clientId, ...more, ...input });
  };
  const onKey = (operation: string, more: object) => {
    const { keyId, ifVersion } = ids().key;
    const input = 'subnet' in more ? {} : { options: { ifVersion } };
    return ask(operation, { keyId, ...more, ...input });
  };
  const ask = (operation: string, input: object) =>
    asked.ask(operation, input, 'administrator', { trunk_groups: ['tg-1001'] });
  return { ...asked, ask, onClient, onKey, ids, reads: () => reads };
}

type World = Awaited<ReturnType<typeof worldWithoutLimits>>;

const stops: readonly (readonly [string, (world: World) => ReturnType<World['ask']>])[] = [
  ['disable a client', (on) => on.onClient('setClientEnabled', { enabled: false })],
  ['revoke its tokens', (on) => on.onClient('revokeClientTokens', {})],
  ['delete it', (on) => on.onClient('deleteClient', {})],
  [
    'remove a scope',
    (on) => on.onClient('updateClient', { changes: { removeScopes: ['calls:view'] } }),
  ],
  ['shorten its tokens', (on) => on.onClient('updateClient', { changes: { tokenLifetime: 60 } })],
  ['disable a secret', (on) => on.onClient('disableClientSecret', { secretId: on.world.secretId })],
  [
    'end a secret sooner',
    (on) =>
      on.onClient('updateClientSecret', {
        secretId: on.world.secretId,
        changes: { expiresAt: on.world.now + 60 },
      }),
  ],
  ['delete a secret', (on) => on.onClient('deleteClientSecret', { secretId: on.world.secretId })],
  ['disable an API key', (on) => on.onKey('setApiKeyEnabled', { enabled: false })],
  ['delete it, too', (on) => on.onKey('deleteApiKey', {})],
  [
    'narrow its subnets',
    (on) =>
      on.onKey('addSubnet', {
        subnet: { name: 'one', address: '203.0.113.7', ifVersion: on.ids().key.ifVersion },
      }),
  ],
  [
    'delete a provider of its own',
    (on) =>
      on.ask('deleteProvider', {
        issuer: on.world.ownIssuer,
        options: { ifRegistration: on.world.providers.get(on.world.ownIssuer)?.registrationId },
      }),
  ],
];

describe('while the limits of a trunk group cannot be read', () => {
  for (const [how, failure] of failures) {
    it.each(stops)(`because they ${how}, a restricted caller can %s`, async (_, stop) => {
      const world = await worldWithoutLimits(failure);
      const { clientId } = world.world;
      const client = world.world.clients.get(clientId);
      if (client === undefined) throw new Error('there is no client');
      world.world.clients.set(clientId, { ...client, scopes: ['messaging:view', 'calls:view'] });
      expect((await stop(world)).error).toBeUndefined();
      expect(world.reads()).toBe(0);
    });
  }

  it.each<[string, (world: World) => ReturnType<World['ask']>]>([
    [
      'a mixed change',
      (on) =>
        on.onClient('updateClient', { changes: { tokenLifetime: 60, addScopes: ['calls:view'] } }),
    ],
    ['a longer life', (on) => on.onClient('updateClient', { changes: { tokenLifetime: 7200 } })],
    [
      'another name',
      (on) => on.onClient('updateClient', { changes: { name: 'Other', tokenLifetime: 60 } }),
    ],
    [
      'a wider subnet',
      (on) =>
        on.onKey('addSubnet', {
          subnet: {
            name: 'all',
            address: '203.0.0.0',
            netmask: 16,
            ifVersion: on.ids().key.ifVersion,
          },
        }),
    ],
  ])('%s is refused', async (_, change) => {
    const world = await worldWithoutLimits(failures[0][1]);
    expect((await change(world)).error).toBeDefined();
    expect(world.reads()).toBeGreaterThan(0);
  });
});

/** A world in which someone else changes the record just before each of the next writes. */
async function worldWithStorm(overtaken: number) {
  const { world, ask } = await askedWorld();
  const { clients, apiKeys } = world.context;
  let left = overtaken;
  const overtake = <T extends { readonly version: number }>(all: Map<string, T>, id: string) => {
    const stored = all.get(id);
    if (stored === undefined || left === 0) return;
    left -= 1;
    all.set(id, { ...stored, version: stored.version + 1 });
  };
  const replaceClient = clients.replace.bind(clients);
  const replaceApiKey = apiKeys.replace.bind(apiKeys);
  vi.spyOn(clients, 'replace').mockImplementation(async (next) => {
    overtake(world.clients, next.clientId);
    await replaceClient(next);
  });
  vi.spyOn(apiKeys, 'replace').mockImplementation(async (next) => {
    overtake(world.apiKeys, next.keyId);
    await replaceApiKey(next);
  });
  return { world, ask };
}

describe('while someone changes a record again and again', () => {
  const operations: readonly (readonly [
    string,
    (world: Awaited<ReturnType<typeof worldWithStorm>>['world']) => object,
  ])[] = [
    ['setClientEnabled', ({ clientId }) => ({ clientId, enabled: false })],
    ['revokeClientTokens', ({ clientId }) => ({ clientId })],
    ['disableClientSecret', ({ clientId, secretId }) => ({ clientId, secretId })],
    ['setApiKeyEnabled', ({ keyId }) => ({ keyId, enabled: false })],
  ];

  it.each(operations)('%s stops it', async (operation, input) => {
    const { world, ask } = await worldWithStorm(20);
    const { error } = await ask(operation, { ...input(world), options: {} });
    expect(error).toBeUndefined();
    const client = world.clients.get(world.clientId);
    const isStopped =
      client?.stops !== undefined ||
      (client?.tokensNotBefore ?? 0) > 0 ||
      client?.secrets[0]?.stops !== undefined ||
      world.apiKeys.get(world.keyId)?.stops !== undefined;
    expect(isStopped).toBe(true);
  });

  it.each(operations)('%s says that it did not stop it', async (operation, input) => {
    const { world, ask } = await worldWithStorm(1000);
    const { error } = await ask(operation, { ...input(world), options: {} });
    expect(error?.class).toBe('ConflictError');
  });

  it.each(operations)(
    '%s with a version is the decision of who has seen it',
    async (name, input) => {
      const { world, ask } = await worldWithStorm(1);
      const isKey = name === 'setApiKeyEnabled';
      const { version: ifVersion } =
        (isKey ? world.apiKeys.get(world.keyId) : world.clients.get(world.clientId)) ?? {};
      const { error } = await ask(name, { ...input(world), options: { ifVersion } });
      expect(error?.class).toBe('ConflictError');
    },
  );

  it('the seconds of a revocation do not let another change end it', async () => {
    const { world, ask } = await askedWorld();
    const { clientId } = world;
    const wait = world.context.wait.bind(world.context);
    vi.spyOn(world.context, 'wait').mockImplementation(async (milliseconds) => {
      const stored = world.clients.get(clientId);
      if (stored) world.clients.set(clientId, { ...stored, version: stored.version + 1 });
      await wait(milliseconds);
    });
    const { error } = await ask('revokeClientTokens', { clientId, options: {} });
    expect(error).toBeUndefined();
    expect(world.clients.get(clientId)?.tokensNotBefore).toBeGreaterThan(1_800_000_000);
  });
});

describe('what only stops', () => {
  const secret = { secretId: 's', hash: 'h', createdAt: 1, expiresAt: 100 };
  const stackStop = { at: 1, by: 'arn:aws:cloudformation' };
  const condition = { claim: 'ref', values: ['main', 'next'] };
  const client: Client = {
    clientId: 'client_1',
    name: 'A',
    serviceTrunkGroup: 'tg-1001',
    audiences: ['https://a.example', 'https://b.example'],
    tokenLifetime: 900,
    scopes: ['calls:view', 'messaging:view'],
    stops: personStop,
    secrets: [{ ...secret, stops: personStop }],
    provider: {
      issuer: 'https://idp.example.net',
      registrationId: 'r',
      externalClientId: 'app',
      conditions: [condition],
    },
    tokensNotBefore: 50,
    version: 1,
    createdAt: 1,
    updatedAt: 1,
  };
  const { provider } = client;
  if (provider === undefined) throw new Error('it has one');

  it.each<[string, Partial<Client>]>([
    ['nothing', {}],
    ['a stop more', { stops: { ...personStop, stack: stackStop } }],
    ['fewer scopes', { scopes: ['calls:view'] }],
    ['fewer audiences', { audiences: ['https://a.example'] }],
    ['no secret', { secrets: [] }],
    ['an earlier end', { secrets: [{ ...secret, expiresAt: 99, stops: personStop }] }],
    ['a later revocation', { tokensNotBefore: 51 }],
    [
      'fewer values',
      { provider: { ...provider, conditions: [{ ...condition, values: ['main'] }] } },
    ],
  ])('%s', (_, change) => {
    expect(onlyStopsClient(client, { ...client, ...change })).toBe(true);
  });

  it.each<[string, Partial<Client>]>([
    ['another name', { name: 'B' }],
    ['a field that this comparison does not know', { note: 'B' } as Partial<Client>],
    ['enabled', { stops: undefined }],
    ['started by one who did not stop it', { stops: { stack: stackStop } }],
    ['another scope', { scopes: ['calls:manage'] }],
    ['another audience', { audiences: ['https://c.example'] }],
    ['the default audience', { audiences: [] }],
    ['longer tokens', { tokenLifetime: 901 }],
    ['older tokens', { tokensNotBefore: 49 }],
    ['any tokens', { tokensNotBefore: undefined }],
    ['an enabled secret', { secrets: [secret] }],
    ['a later end', { secrets: [{ ...secret, expiresAt: 101, stops: personStop }] }],
    ['no end', { secrets: [{ ...secret, expiresAt: undefined, stops: personStop }] }],
    ['another secret', { secrets: [{ ...secret, secretId: 't', stops: personStop }] }],
    ['another value of a secret', { secrets: [{ ...secret, hash: 'i', stops: personStop }] }],
    ['no condition', { provider: { ...provider, conditions: undefined } }],
    ['another value', { provider: { ...provider, conditions: [{ claim: 'ref', values: ['x'] }] } }],
  ])('not %s', (_, change) => {
    expect(onlyStopsClient(client, { ...client, ...change })).toBe(false);
  });

  const net = (address: string, prefixLength: number) => ({
    subnetId: address,
    name: address,
    address,
    prefixLength,
  });
  const key: ApiKey = {
    keyId: 'key_1',
    hash: 'h',
    name: 'A',
    stops: personStop,
    serviceTrunkGroup: 'tg-1001',
    subnets: [net('203.0.113.0', 24), net('2001:db8::', 32)],
    expiresAt: 100,
    version: 1,
    createdAt: 1,
    updatedAt: 1,
  };

  it.each<[string, boolean, Partial<ApiKey>]>([
    ['a part of a subnet', true, { subnets: [net('203.0.113.64', 26)] }],
    ['a subnet that no limit refuses', true, { subnets: [...key.subnets, net('203.0.113.0', 28)] }],
    ['a part of an IPv6 subnet', true, { subnets: [net('2001:db8:1::', 48)] }],
    ['an earlier end', true, { expiresAt: 99 }],
    ['a wider subnet', false, { subnets: [net('203.0.112.0', 23)] }],
    ['another subnet', false, { subnets: [net('203.0.113.0', 24), net('198.51.100.0', 24)] }],
    ['every source', false, { subnets: [] }],
    ['no end', false, { expiresAt: undefined }],
    ['enabled', false, { stops: undefined }],
    ['another name', false, { name: 'B' }],
  ])('of an API key: %s is %s', (_, expected, change) => {
    expect(onlyStopsApiKey(key, { ...key, ...change })).toBe(expected);
  });

  it('is a first subnet, which ends every other source', () => {
    const open = { ...key, subnets: [] };
    expect(onlyStopsApiKey(open, key)).toBe(true);
    expect(onlyStopsApiKey(open, { ...open, stops: personStop })).toBe(true);
    expect(onlyStopsApiKey(open, { ...key, subnets: [net('10.0.0.0', 8)] })).toBe(false);
  });
});

it.each([
  ['client', 'setClientEnabled'],
  ['key', 'setApiKeyEnabled'],
] as const)(
  'a stop of a %s may be repeated without a version, and an enabling not',
  async (kind, operation) => {
    const { ask, world } = await askedWorld();
    const id = { client: { clientId: world.clientId }, key: { keyId: world.keyId } }[kind];
    const set = (enabled: boolean) => ask(operation, { ...id, enabled, options: {} });
    expect((await set(false)).error).toBeUndefined();
    expect((await set(true)).error).toMatchObject({ class: 'InputError', field: 'ifVersion' });
    const stored = {
      client: world.clients.get(world.clientId),
      key: world.apiKeys.get(world.keyId),
    };
    expect(stored[kind]?.stops).toHaveProperty('person');
  },
);

it('names who stopped what, and the staff to a customer only as such', async () => {
  const { management, clientId, secretId } = await createWorld('tg-1001');
  await management.setClientEnabled(clientId, false);
  await management.disableClientSecret(clientId, secretId);
  const customer = management.forCaller({ trunkGroups: ['tg-1001'] });
  const { stops, secrets } = await customer.findClient(clientId);
  expect([stops?.person?.by, secrets[0]?.stops?.person?.by]).toEqual([
    'Platform staff',
    'Platform staff',
  ]);
  const own = await management.findClient(clientId);
  expect(own.stops?.person?.by).toBe('arn:aws:iam::123456789012:user/ada');
  const texts = await Promise.all([
    customer.listHistory(clientId),
    customer.explainToken({ clientId }),
  ]);
  expect(JSON.stringify(texts)).toContain('stopped by a person (Platform staff)');
  expect(JSON.stringify(texts)).not.toContain('user/ada');
});
