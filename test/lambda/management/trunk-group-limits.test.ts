import { describe, expect, it } from 'vitest';
import type { ManagementAlias } from '../../../contract/management/roles.ts';
import type { Limits, TrunkGroupLimits } from '../../../core/trunk-group/trunk-group-limits.ts';
import { askedWorld, newClient, role } from './restricted-world.ts';

type AskedWorld = Awaited<ReturnType<typeof askedWorld>>;

const group = 'tg-1001';

async function setLimits({ ask, world }: AskedWorld, limits: Limits) {
  const ifVersion = world.limits.get(group)?.version ?? 0;
  const input = { serviceTrunkGroup: group, limits: { ...limits, ifVersion } };
  const { error } = await ask('setTrunkGroupLimits', input);
  expect(error).toBeUndefined();
}

let keys = 0;

function freshKey(): string {
  keys += 1;
  return `key-number-${keys}`;
}

function create({ ask }: AskedWorld, more: object, alias: ManagementAlias = 'client-operator') {
  const client = { ...newClient, idempotencyKey: freshKey(), ...more };
  return ask('createClient', { client }, alias);
}

function createKey({ ask }: AskedWorld, more: object = {}) {
  const apiKey = { name: 'A', serviceTrunkGroup: group, idempotencyKey: freshKey(), ...more };
  return ask('createApiKey', { apiKey }, 'api-key-operator');
}

function changeKey({ ask, world }: AskedWorld, more: object) {
  const { keyId } = world;
  const changes = { ifVersion: world.apiKeys.get(keyId)?.version, ...more };
  return ask('updateApiKey', { keyId, changes }, 'api-key-operator');
}

function rotateKey({ ask, world }: AskedWorld, more: object = {}) {
  const { keyId } = world;
  const ifVersion = world.apiKeys.get(keyId)?.version;
  const rotation = { overlap: 0, idempotencyKey: freshKey(), ifVersion, ...more };
  return ask('rotateApiKey', { keyId, rotation }, 'api-key-operator');
}

function createSecret({ ask, world }: AskedWorld, expiresAt?: number) {
  const { clientId } = world;
  const ifVersion = world.clients.get(clientId)?.version;
  const secret = { idempotencyKey: freshKey(), expiresAt, ifVersion };
  return ask('createClientSecret', { clientId, secret }, 'client-operator');
}

function removeSubnet({ ask, world }: AskedWorld) {
  const { keyId, subnetId } = world;
  const ifVersion = world.apiKeys.get(keyId)?.version;
  const options = { allowAnySource: true, ifVersion };
  return ask('removeSubnet', { keyId, subnetId, options }, 'api-key-operator');
}

const named = (address: string) => ({ name: address, address });

function addSubnet({ ask, world }: AskedWorld, address: string) {
  const { keyId } = world;
  const subnet = { ...named(address), ifVersion: world.apiKeys.get(keyId)?.version };
  return ask('addSubnet', { keyId, subnet }, 'api-key-operator');
}

const subnets = [{ name: 'home', address: '198.51.100.0', netmask: 24 }];
const under = (provider: string) => ({ provider, externalClientId: 'dialer' });

type Ask = (asked: AskedWorld) => Promise<{ readonly error?: object; readonly result?: unknown }>;

/** What each limit refuses, and what it allows. The world has one client, with a secret, and one API key. */
const rows: readonly (readonly [limits: Limits, field: string, refused: Ask, allowed: Ask])[] = [
  [
    { scopes: ['calls:view'] },
    'scopes',
    (asked) => create(asked, { scopes: ['calls:view', 'messaging:view'] }),
    (asked) => create(asked, {}),
  ],
  [{ scopes: [] }, 'scopes', (asked) => create(asked, {}), (asked) => createSecret(asked)],
  [
    { maxTokenLifetime: 900 },
    'tokenLifetime',
    (asked) => create(asked, { tokenLifetime: 901 }),
    (asked) => create(asked, { tokenLifetime: 900 }),
  ],
  [
    { maxSecretLifetime: 3600 },
    'expiresAt',
    (asked) => createSecret(asked),
    (asked) => createSecret(asked, asked.world.now + 3600),
  ],
  [
    { requireSubnet: true },
    'subnets',
    (asked) => createKey(asked),
    (asked) => createKey(asked, { subnets }),
  ],
  [
    { maxApiKeyLifetime: 3600 },
    'expiresAt',
    (asked) => createKey(asked),
    (asked) => createKey(asked, { expiresAt: asked.world.now + 3600 }),
  ],
  [
    { maxApiKeyLifetime: 3600 },
    'expiresAt',
    (asked) => createKey(asked, { expiresAt: asked.world.now + 3601 }),
    (asked) => createKey(asked, { expiresAt: asked.world.now + 60 }),
  ],
  [
    { requireApiKeyScopes: true, scopes: ['calls:view'] },
    'scopes',
    (asked) => createKey(asked),
    (asked) => createKey(asked, { scopes: ['calls:view'] }),
  ],
  [
    { requireApiKeyScopes: true, scopes: ['calls:view'] },
    'scopes',
    (asked) => createKey(asked, { scopes: ['calls:view', 'messaging:view'] }),
    (asked) => changeKey(asked, { name: 'Bea' }),
  ],
  [
    { requireApiKeyScopes: true },
    'scopes',
    (asked) => createKey(asked),
    (asked) => createKey(asked, { scopes: ['messaging:view'] }),
  ],
  [
    { requireApiKeyScopes: true, scopes: ['calls:view'] },
    'scopes',
    (asked) => createKey(asked),
    // A key without scopes gets some: that only takes away.
    (asked) => changeKey(asked, { scopes: ['messaging:view'] }),
  ],
  // A new value of an old API key is as a new key.
  [
    { maxApiKeyLifetime: 3600 },
    'expiresAt',
    (asked) => rotateKey(asked),
    (asked) => rotateKey(asked, { expiresAt: asked.world.now + 3600 }),
  ],
  [
    { requireApiKeyScopes: true, scopes: ['calls:view'], maxApiKeys: 0 },
    'scopes',
    (asked) => rotateKey(asked),
    async (asked) => {
      await changeKey(asked, { scopes: ['calls:view'] });
      return rotateKey(asked);
    },
  ],
  // Each of them is every address, or much of the internet.
  ...[
    ['0.0.0.0/1', '128.0.0.0/1'],
    ['203.0.0.0/15'],
    ['2000::/3'],
    ['2001:db8::/31'],
    ['::ffff:0.0.0.0/97', '::ffff:128.0.0.0/97'],
    ['198.51.100.0/24', '0.0.0.0/2'],
  ].map(
    (addresses) =>
      [
        { requireSubnet: true },
        'subnets',
        (asked: AskedWorld) => createKey(asked, { subnets: addresses.map(named) }),
        (asked: AskedWorld) =>
          createKey(asked, { subnets: ['203.0.0.0/16', '2001:db8::/32'].map(named) }),
      ] as const,
  ),
  [
    { requireSubnet: true },
    'subnets',
    (asked) => addSubnet(asked, '0.0.0.0/1'),
    (asked) => addSubnet(asked, '10.1.0.0/16'),
  ],
  [
    { requireSubnet: true },
    'subnets',
    removeSubnet,
    (asked) => {
      const { keyId } = asked.world;
      return asked.ask('setApiKeyEnabled', { keyId, enabled: false }, 'api-key-operator');
    },
  ],
  [
    { providers: [] },
    'provider',
    (asked) => create(asked, under(asked.world.issuer)),
    (asked) => create(asked, {}),
  ],
];

describe('a limit of a trunk group', () => {
  it.each(rows)('%j refuses what is above it, and nothing else', async (limits, field, ...asks) => {
    const [refused, allowed] = asks;
    const asked = await askedWorld();
    await setLimits(asked, limits);
    expect((await refused(asked)).error).toMatchObject({ class: 'InputError', field });
    expect((await allowed(asked)).error).toBeUndefined();
    await setLimits(asked, {});
    expect((await refused(asked)).error).toBeUndefined();
  });

  it.each([
    [
      { maxClients: 1 },
      'has 1 clients; allowed: at most 1',
      (asked: AskedWorld) => create(asked, {}),
    ],
    [{ maxApiKeys: 0 }, 'may have no API keys; allowed: at most 0', createKey],
  ])('%j counts', async (limits, text, ask) => {
    const asked = await askedWorld();
    await setLimits(asked, limits);
    expect((await ask(asked)).error).toMatchObject({
      class: 'RefusedError',
      text: `the service trunk group ${text}`,
    });
    await setLimits(asked, { maxClients: 2, maxApiKeys: 2 });
    expect((await ask(asked)).error).toBeUndefined();
  });

  it('opens a provider to a trunk group', async () => {
    const asked = await askedWorld();
    await setLimits(asked, { providers: [asked.world.issuer] });
    expect((await create(asked, under(asked.world.issuer))).error).toBeUndefined();
  });

  it('is one of another trunk group only there', async () => {
    const asked = await askedWorld();
    await setLimits(asked, { scopes: [], maxClients: 0 });
    expect((await create(asked, { serviceTrunkGroup: 'tg-2002' })).error).toBeUndefined();
  });
});

describe('the limits of a trunk group hold for', () => {
  const person = (name: string) => ({
    person: { actor: 'https://idp.example.net#ada', role: name },
  });
  const entry = { principals: [role('limited')], trunkGroups: [group] };
  const staff = { portalReach: { administrators: true } };

  it.each([
    ['an operator', 'client-operator', {}, {}, true],
    [
      'a manager of the portal',
      'portal',
      { ...person('manager'), trunk_groups: [group] },
      {},
      true,
    ],
    ['an administrator whom the config limits', 'administrator', {}, { reach: [entry] }, true],
    ['an administrator who limits himself', 'administrator', { trunk_groups: [group] }, {}, true],
    ['not the staff', 'administrator', {}, {}, false],
    ['not the staff behind the portal', 'portal', person('administrator'), staff, false],
    [
      'the staff, if the config does: its own limits',
      'portal',
      person('administrator'),
      { portalReach: { administrators: true, maxClients: 1 } },
      true,
    ],
  ] as const)('%s', async (_, alias, more, config, isBound) => {
    const asked = await askedWorld(config);
    asked.world.limits.set(group, { serviceTrunkGroup: group, maxClients: 0, version: 1 });
    const { error } = await asked.ask('createClient', { client: newClient }, alias, more);
    expect(error?.class).toBe(isBound ? 'RefusedError' : undefined);
  });

  it('a customer of a portal that the config limits as well: what both allow', async () => {
    const portalReach = {
      administrators: false,
      scopes: ['calls:view', 'messaging:view'],
      maxClients: 5,
      maxTokenLifetime: 3600,
    };
    const asked = await askedWorld({ portalReach });
    const manager = { ...person('manager'), trunk_groups: [group] };
    asked.world.limits.set(group, {
      serviceTrunkGroup: group,
      scopes: ['messaging:view', 'messaging:manage'],
      maxTokenLifetime: 900,
      maxClients: 9,
      version: 4,
    });
    const input = { serviceTrunkGroup: group };
    const found = await asked.ask('findTrunkGroupLimits', input, 'portal', manager);
    expect(found.result).toEqual({
      serviceTrunkGroup: group,
      scopes: ['messaging:view'],
      maxTokenLifetime: 900,
      maxClients: 5,
      version: 4,
    });
    const ask = (more: object) => {
      const client = { ...newClient, idempotencyKey: freshKey(), ...more };
      return asked.ask('createClient', { client }, 'portal', manager);
    };
    expect((await ask({ scopes: ['calls:view'] })).error).toMatchObject({ field: 'scopes' });
    expect((await ask({ scopes: ['messaging:manage'] })).error).toMatchObject({ field: 'scopes' });
    const allowed = { scopes: ['messaging:view'], tokenLifetime: 900 };
    expect((await ask({ ...allowed, tokenLifetime: 901 })).error).toBeDefined();
    expect((await ask(allowed)).error).toBeUndefined();
  });
});

describe('limits that are lowered', () => {
  const lowered: Limits = {
    scopes: ['calls:view'],
    maxClients: 0,
    maxApiKeys: 0,
    maxTokenLifetime: 60,
    maxSecretLifetime: 60,
    requireSubnet: true,
    providers: [],
  };

  it('say what exceeds them, before and after they are set', async () => {
    const asked = await askedWorld();
    const { world, ask } = asked;
    const { error } = await create(asked, under(world.issuer), 'administrator');
    expect(error).toBeUndefined();
    const input = { serviceTrunkGroup: group };
    const proposed = await ask('checkTrunkGroupLimits', { ...input, limits: lowered });
    expect(world.limits.size).toBe(0);
    await setLimits(asked, lowered);
    const { result } = await ask('checkTrunkGroupLimits', input);
    expect(result).toEqual(proposed.result);
    const { excesses } = result as { excesses: readonly Record<string, unknown>[] };
    const { clientId, secretId } = world;
    expect(excesses).toEqual(
      expect.arrayContaining([
        { limit: 'maxClients', subject: group, received: '2', allowed: 'at most 0' },
        { limit: 'maxApiKeys', subject: group, received: '1', allowed: 'at most 0' },
        expect.objectContaining({ limit: 'scopes', subject: clientId, received: 'messaging:view' }),
        expect.objectContaining({ limit: 'maxTokenLifetime', subject: clientId, received: '3600' }),
        expect.objectContaining({
          limit: 'maxSecretLifetime',
          subject: secretId,
          received: 'no end',
        }),
        expect.objectContaining({ limit: 'providers', received: world.issuer }),
      ]),
    );
    expect(excesses.filter(({ limit }) => limit === 'requireSubnet')).toEqual([]);
  });

  it('leave a key its wide subnets, which the check lists and which can only become fewer', async () => {
    const asked = await askedWorld();
    const { world, ask } = asked;
    const wide = ['0.0.0.0/1', '128.0.0.0/1'];
    for (const one of wide) expect((await addSubnet(asked, one)).error).toBeUndefined();
    const stored = JSON.stringify([...world.apiKeys]);
    await setLimits(asked, { requireSubnet: true });
    expect(JSON.stringify([...world.apiKeys])).toBe(stored);
    const check = await ask('checkTrunkGroupLimits', { serviceTrunkGroup: group });
    const { keyId } = world;
    const allowed = 'one subnet or more, each /16 or longer (IPv6: /32 or longer)';
    expect(check.result).toMatchObject({
      excesses: wide.map((received) => ({
        limit: 'requireSubnet',
        subject: keyId,
        received,
        allowed,
      })),
    });
    const keyOf = () => world.apiKeys.get(keyId);
    const rename = { keyId, changes: { name: 'B', ifVersion: keyOf()?.version } };
    expect((await ask('updateApiKey', rename, 'api-key-operator')).error).toBeUndefined();
    expect((await addSubnet(asked, '192.0.2.0/24')).error).toBeUndefined();
    expect((await addSubnet(asked, '64.0.0.0/2')).error).toMatchObject({
      field: 'subnets',
      text: `subnets: received "64.0.0.0/2"; allowed: ${allowed}`,
    });
    for (const one of wide) {
      const { version, subnets: present = [] } = keyOf() ?? {};
      const subnetId = present.find(({ name }) => name === one)?.subnetId;
      const removal = { keyId, subnetId, options: { ifVersion: version } };
      expect((await ask('removeSubnet', removal, 'api-key-operator')).error).toBeUndefined();
    }
    expect((await addSubnet(asked, '0.0.0.0/1')).error).toMatchObject({ field: 'subnets' });
  });

  it('break nothing by themselves: what there is can be stopped, renamed and reduced', async () => {
    const asked = await askedWorld();
    const { world, ask } = asked;
    const clients = JSON.stringify([...world.clients, ...world.apiKeys]);
    await setLimits(asked, lowered);
    expect(JSON.stringify([...world.clients, ...world.apiKeys])).toBe(clients);
    const { clientId, secretId, keyId } = world;
    const operator = 'client-operator';
    const change = (changes: object) => {
      const ifVersion = world.clients.get(clientId)?.version;
      return ask('updateClient', { clientId, changes: { ...changes, ifVersion } }, operator);
    };
    expect((await change({ name: 'Renamed' })).error).toBeUndefined();
    expect((await change({ tokenLifetime: 1800 })).error).toBeUndefined();
    expect((await change({ tokenLifetime: 3600 })).error).toMatchObject({ field: 'tokenLifetime' });
    const stop = { clientId, enabled: false };
    expect((await ask('setClientEnabled', stop, operator)).error).toBeUndefined();
    const start = {
      ...stop,
      enabled: true,
      options: { ifVersion: world.clients.get(clientId)?.version },
    };
    expect((await ask('setClientEnabled', start, operator)).error).toBeUndefined();
    const changes = {
      expiresAt: world.now + 9000,
      ifVersion: world.clients.get(clientId)?.version,
    };
    const update = { clientId, secretId, changes };
    expect((await ask('updateClientSecret', update, operator)).error).toBeUndefined();
    const version = world.clients.get(clientId)?.version;
    const forever = { ...update, changes: { expiresAt: null, ifVersion: version } };
    const longer = await ask('updateClientSecret', forever, operator);
    expect(longer.error).toMatchObject({ field: 'expiresAt' });
    const ifVersion = world.apiKeys.get(keyId)?.version;
    const rename = { keyId, changes: { name: 'Renamed', ifVersion } };
    expect((await ask('updateApiKey', rename, 'api-key-operator')).error).toBeUndefined();
  });
});

describe('limits are set', () => {
  const input = (limits: object) => ({ serviceTrunkGroup: group, limits });

  it('once for each version, and are in the audit', async () => {
    const { ask, world } = await askedWorld();
    const first = input({ maxClients: 3, ifVersion: 0 });
    expect((await ask('setTrunkGroupLimits', first)).result).toEqual({
      serviceTrunkGroup: group,
      maxClients: 3,
      version: 1,
      updatedAt: world.now,
    });
    const again = await ask('setTrunkGroupLimits', first);
    expect(again.error).toMatchObject({ class: 'VersionConflictError', expected: 0, current: 1 });
    await ask('setTrunkGroupLimits', input({ requireSubnet: true, ifVersion: 1 }));
    expect(world.audit.at(-1)).toMatchObject({
      action: 'trunk_group_limits.set',
      subject: group,
      outcome: 'done',
      before: { service_trunk_group: group, max_clients: 3, version: 1 },
      after: { service_trunk_group: group, require_subnet: true, version: 2 },
    });
    expect(world.audit.at(-1)?.after).not.toHaveProperty('max_clients', 3);
  });

  it.each([
    ['without a version', {}, 'ifVersion'],
    ['with a scope that is not in the catalogue', { scopes: ['calls:fly'] }, 'scopes'],
    ['with a negative count', { maxClients: -1 }, 'maxClients'],
    ['with half a key', { maxApiKeys: 0.5 }, 'maxApiKeys'],
    ['with a lifetime above the deployment’s', { maxTokenLifetime: 86_401 }, 'maxTokenLifetime'],
    ['with no life for a secret', { maxSecretLifetime: 0 }, 'maxSecretLifetime'],
    ['with an unknown limit', { maxSecrets: 1 }, 'maxSecrets'],
    ['with a provider that is no URL', { providers: ['okta'] }, 'providers'],
  ])('not %s', async (_, limits, field) => {
    const { ask, world } = await askedWorld();
    const given = field === 'ifVersion' ? limits : { ...limits, ifVersion: 0 };
    const { error } = await ask('setTrunkGroupLimits', input(given));
    expect(error).toMatchObject({ class: 'InputError', field });
    expect(world.limits.size).toBe(0);
  });

  it('not with a provider that is not registered', async () => {
    const { ask } = await askedWorld();
    const limits = { providers: ['https://other.example'], ifVersion: 0 };
    const { error } = await ask('setTrunkGroupLimits', input(limits));
    expect(error?.class).toBe('NotFoundError');
  });

  it('not by a manager of the group, who sees them', async () => {
    const { ask, world } = await askedWorld();
    world.limits.set(group, { serviceTrunkGroup: group, maxClients: 3, version: 1 });
    world.limits.set('tg-2002', { serviceTrunkGroup: 'tg-2002', maxClients: 9, version: 1 });
    const ada = {
      person: { actor: 'https://idp.example.net#ada', role: 'manager' },
      trunk_groups: [group],
    };
    const set = await ask('setTrunkGroupLimits', input({ ifVersion: 1 }), 'portal', ada);
    expect(set.error?.class).toBe('AwsCallerError');
    const limits = { serviceTrunkGroup: group, maxClients: 3, version: 1 };
    const found = await ask('findTrunkGroupLimits', { serviceTrunkGroup: group }, 'portal', ada);
    expect(found.result).toEqual(limits);
    const list = await ask('listTrunkGroupLimits', {}, 'portal', ada);
    expect(list.result).toMatchObject({ items: [limits] });
    const foreign = { serviceTrunkGroup: 'tg-2002' };
    const other = await ask('findTrunkGroupLimits', foreign, 'portal', ada);
    expect(other.error?.class).toBe('NotFoundError');
  });

  it('in pages whose positions name no other trunk group', async () => {
    const { ask, world } = await askedWorld();
    const own = ['tg-2', 'tg-4', 'tg-6'];
    for (const serviceTrunkGroup of ['tg-1', 'tg-2', 'tg-3', 'tg-5', 'tg-6']) {
      world.limits.set(serviceTrunkGroup, { serviceTrunkGroup, version: 1 });
    }
    const person = { actor: 'https://idp.example.net#ada', role: 'viewer' };
    const pages: unknown[] = [];
    let cursor: string | undefined;
    do {
      const filter = { limit: 1, cursor };
      const more = { person, trunk_groups: own };
      const { result } = await ask('listTrunkGroupLimits', { filter }, 'portal', more);
      const page = result as { readonly items: readonly TrunkGroupLimits[]; nextCursor?: string };
      cursor = page.nextCursor;
      const position = cursor === undefined ? 'end' : Buffer.from(cursor, 'base64url').toString();
      pages.push([...page.items.map(({ serviceTrunkGroup }) => serviceTrunkGroup), position]);
    } while (cursor !== undefined);
    expect(pages).toEqual([['tg-2', 'tg-2'], ['tg-4'], ['tg-6', 'end']]);
  });
});
