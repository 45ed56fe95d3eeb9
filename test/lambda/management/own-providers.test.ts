import { describe, expect, it } from 'vitest';
import { grantIssuer, grantSubject, registerOwn } from '../../adapters/management/world.ts';
import { askedWorld, newClient, restrictedWorld } from './restricted-world.ts';

type AskedWorld = Awaited<ReturnType<typeof askedWorld>>;

const issuer = 'https://own.example.net';
const discoveryUrl = `${issuer}/.well-known/openid-configuration`;

interface Customer {
  readonly role?: string;
  readonly groups?: readonly string[];
}

/** A person behind the portal, restricted to trunk groups. */
function askAs({ ask }: AskedWorld, { role: name = 'manager', groups = ['tg-1001'] }: Customer) {
  const more = {
    person: { actor: 'https://idp.example.net#ada', role: name },
    trunk_groups: groups,
  };
  return (operation: string, input: object) => ask(operation, input, 'portal', more);
}

/** A world in which `tg-1001` may have two providers of its own, and the other's documents exist. */
async function createOwnWorld(ownProviders: number | 'unset' = 2): Promise<AskedWorld> {
  const asked = await askedWorld({ portalReach: { administrators: true } });
  const { world } = asked;
  await registerOwn(world, ['tg-1001']);
  world.providers.delete(issuer);
  if (ownProviders !== 'unset') {
    world.limits.set('tg-1001', { serviceTrunkGroup: 'tg-1001', version: 1, ownProviders });
  }
  grantIssuer(world, issuer, ['tg-1001', 'tg-1002', 'tg-2002']);
  world.audit.length = 0;
  return asked;
}

const register = { discoveryUrl, options: { trunkGroups: ['tg-1001'] } };

function under(provider: string, more: object = {}) {
  const idempotencyKey = `key-${JSON.stringify(more).length}-${provider.length}`;
  return { client: { ...newClient, provider, externalClientId: 'erp', idempotencyKey, ...more } };
}

describe('a customer whose limits allow it', () => {
  it('registers a provider, sees whose it is, and deletes it with its clients', async () => {
    const asked = await createOwnWorld();
    const { world } = asked;
    const ada = askAs(asked, {});
    const inspected = await ada('inspectProvider', { discoveryUrl });
    expect(inspected.result).toMatchObject({ registrable: true, issuer });
    const { result } = await ada('registerProvider', register);
    const owner = { trunkGroups: ['tg-1001'], version: 1 };
    expect(result).toMatchObject({ provider: { issuer, owner } });
    expect((await ada('findProvider', { issuer })).result).toMatchObject({ owner });
    const created = await ada('createClient', under(issuer));
    expect(created.result).toMatchObject({ client: { provider: { issuer } } });
    const ifRegistration = world.providers.get(issuer)?.registrationId;
    const deletion = { issuer, options: { ifRegistration, cascade: true } };
    expect((await ada('deleteProvider', deletion)).error).toBeUndefined();
    expect(world.providers.has(issuer)).toBe(false);
    expect(world.audit.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'identity_provider.register intended',
      'identity_provider.register done',
      'client.create intended',
      'client.create done',
      'identity_provider.stop intended',
      'identity_provider.stop done',
      'client.delete intended',
      'client.delete done',
      'identity_provider.delete intended',
      'identity_provider.delete done',
    ]);
    expect(world.audit[1]).toMatchObject({
      actor: 'https://idp.example.net#ada',
      subject: issuer,
      after: { service_trunk_groups: ['tg-1001'], owner_version: 1 },
    });
  });

  it('needs to name no trunk group: it is for those that may have one', async () => {
    const asked = await createOwnWorld();
    const ada = askAs(asked, { groups: ['tg-1001', 'tg-1002'] });
    const { result } = await ada('registerProvider', { discoveryUrl });
    expect(result).toMatchObject({ provider: { owner: { trunkGroups: ['tg-1001'] } } });
  });

  it('changes which of its trunk groups a provider is for, once for each version', async () => {
    const asked = await createOwnWorld();
    const { world } = asked;
    const limits = { serviceTrunkGroup: 'tg-1002', version: 1, ownProviders: 1 };
    world.limits.set('tg-1002', limits);
    const ada = askAs(asked, { groups: ['tg-1001', 'tg-1002'] });
    await ada('registerProvider', register);
    await ada('createClient', under(issuer));
    const set = (trunkGroups: readonly string[], ifVersion: number) =>
      ada('setProviderTrunkGroups', { issuer, owners: { trunkGroups, ifVersion } });
    expect((await set(['tg-1001', 'tg-1002'], 1)).result).toMatchObject({ owner: { version: 2 } });
    expect((await set(['tg-1001', 'tg-1002'], 1)).error?.class).toBe('VersionConflictError');
    // Its client is there.
    expect((await set(['tg-1002'], 2)).error).toMatchObject({
      class: 'RefusedError',
      text: expect.stringContaining('of the service trunk group tg-1001 is under the provider'),
    });
    expect((await set(['tg-1001'], 2)).error).toBeUndefined();
    expect((await set([], 3)).error).toMatchObject({ class: 'InputError', field: 'trunkGroups' });
    expect(world.audit.at(-1)).toMatchObject({ action: 'identity_provider.set_trunk_groups' });
  });

  it.each([
    ['https://idp.example.net/', 'is registered'],
    // No grant has such a host.
    ['https://idp.example.net.', 'is not granted'],
    ['https://idp.example.net./', 'is not granted'],
  ])(
    'does not register %s, which differs from a registered issuer in form only',
    async (other, text) => {
      const asked = await createOwnWorld();
      const { documents, issuer: registered } = asked.world;
      grantIssuer(asked.world, registered, ['tg-1001']);
      const at = `${other.replace(/\/$/, '')}/.well-known/openid-configuration`;
      documents.set(at, { issuer: other, jwks_uri: `${registered}/keys` });
      const ada = askAs(asked, {});
      const wanted = { discoveryUrl: at, options: { trunkGroups: ['tg-1001'] } };
      const { error } = await ada('registerProvider', wanted);
      expect(error?.class).toBe('RefusedError');
      expect(error?.text).toContain(text);
    },
  );

  it('uses its own provider also if no other one is open to it', async () => {
    const asked = await createOwnWorld();
    const { world } = asked;
    const ada = askAs(asked, {});
    await ada('registerProvider', register);
    const limits = { serviceTrunkGroup: 'tg-1001', version: 2, ownProviders: 2, providers: [] };
    world.limits.set('tg-1001', limits);
    const other = await ada('createClient', under(world.issuer));
    expect(other.error?.class).toBe('NotFoundError');
    expect((await ada('createClient', under(issuer))).error).toBeUndefined();
    const check = await ada('checkTrunkGroupLimits', { serviceTrunkGroup: 'tg-1001' });
    expect(check.result).toMatchObject({ excesses: [] });
    const lowered = { serviceTrunkGroup: 'tg-1001', limits: { ownProviders: 0 } };
    expect((await ada('checkTrunkGroupLimits', lowered)).result).toMatchObject({
      excesses: [
        { limit: 'ownProviders', subject: 'tg-1001', received: '1', allowed: 'at most 0' },
      ],
    });
  });

  it('sees in the audit what was done with it, and another customer does not', async () => {
    const asked = await createOwnWorld();
    const ada = askAs(asked, {});
    await ada('registerProvider', register);
    const day = '2027-01-15';
    const actionsOf = async (customer: Customer) => {
      const { result } = await askAs(asked, customer)('listAudit', { filter: { day } });
      return (result as { items: readonly { action: string }[] }).items.map(({ action }) => action);
    };
    expect(await actionsOf({})).toEqual(['identity_provider.register']);
    expect(await actionsOf({ groups: ['tg-2002'] })).toEqual([]);
  });
});

/** Each is refused and changes nothing. Without its one mistake, it is allowed. */
const refusals: readonly (readonly [
  what: string,
  ownProviders: number | 'unset',
  customer: Customer,
  operation: 'inspectProvider' | 'registerProvider',
  error: object,
])[] = [
  ['without limits', 'unset', {}, 'registerProvider', { class: 'RefusedError' }],
  ['without limits, only looking', 'unset', {}, 'inspectProvider', { class: 'RefusedError' }],
  ['with the limit 0', 0, {}, 'registerProvider', { class: 'RefusedError' }],
  ['as a viewer', 2, { role: 'viewer' }, 'registerProvider', { class: 'AwsCallerError' }],
  [
    'as a viewer, only looking',
    2,
    { role: 'viewer' },
    'inspectProvider',
    { class: 'AwsCallerError' },
  ],
  [
    'for a trunk group out of reach',
    2,
    { groups: ['tg-2002'] },
    'registerProvider',
    { class: 'InputError', field: 'trunkGroups' },
  ],
  ['of no trunk group', 2, { groups: [] }, 'inspectProvider', { class: 'RefusedError' }],
];

describe('a customer registers no provider', () => {
  it.each(refusals)('%s', async (_, ownProviders, customer, operation, expected) => {
    const asked = await createOwnWorld(ownProviders);
    const { world } = asked;
    const fetched: string[] = [];
    const fetchJson = world.context.fetchJson;
    Object.assign(world.context, {
      fetchJson: async (url: string) => {
        fetched.push(url);
        return fetchJson(url);
      },
    });
    const input = operation === 'registerProvider' ? register : { discoveryUrl };
    const { error } = await askAs(asked, customer)(operation, input);
    expect(error).toMatchObject(expected);
    expect([fetched, world.audit, world.providers.has(issuer)]).toEqual([[], [], false]);
    const limits = { serviceTrunkGroup: 'tg-1001', version: 1, ownProviders: 1 };
    world.limits.set('tg-1001', limits);
    expect((await askAs(asked, {})(operation, input)).error).toBeUndefined();
  });

  it('without a trunk group at all, as a manager of the whole platform', async () => {
    const asked = await createOwnWorld();
    const more = { person: { actor: 'https://idp.example.net#ada', role: 'manager' } };
    for (const [operation, input] of [
      ['inspectProvider', { discoveryUrl }],
      ['registerProvider', { discoveryUrl }],
    ] as const) {
      const { error } = await asked.ask(operation, input, 'portal', more);
      expect(error?.class).toBe('AwsCallerError');
    }
  });

  it('above its limit, which another trunk group does not count for', async () => {
    const asked = await createOwnWorld(1);
    const { world } = asked;
    const ada = askAs(asked, {});
    const owner = { issuer: 'x', trunkGroups: ['tg-2002'], version: 1, updatedAt: 1 };
    world.owners.set('idp_other', { ...owner, registrationId: 'idp_other' });
    expect((await ada('registerProvider', register)).error).toBeUndefined();
    const second = 'https://second.example.net';
    const url = `${second}/.well-known/openid-configuration`;
    world.documents.set(url, { issuer: second, jwks_uri: `${issuer}/keys` });
    grantIssuer(world, second, ['tg-1001']);
    const registerSecond = () => ada('registerProvider', { discoveryUrl: url });
    expect((await registerSecond()).error).toMatchObject({
      class: 'RefusedError',
      text: 'the service trunk group tg-1001 has 1 identity providers of its own; allowed: at most 1',
    });
    const ifRegistration = world.providers.get(issuer)?.registrationId;
    await ada('deleteProvider', { issuer, options: { ifRegistration } });
    expect((await registerSecond()).error).toBeUndefined();
  });
});

describe('the provider of another customer', () => {
  const globex = { groups: ['tg-2002'] };

  async function createForeignWorld(): Promise<AskedWorld> {
    const asked = await createOwnWorld();
    asked.world.limits.set('tg-2002', {
      serviceTrunkGroup: 'tg-2002',
      version: 1,
      ownProviders: 5,
    });
    await askAs(asked, {})('registerProvider', register);
    return asked;
  }

  it.each([
    ['findProvider', { issuer }],
    ['inspectProviderKeys', { issuer }],
    ['deleteProvider', { issuer, options: { ifRegistration: 'idp_1' } }],
    ['setProviderTrunkGroups', { issuer, owners: { trunkGroups: ['tg-2002'], ifVersion: 1 } }],
    ['createClient', under(issuer, { serviceTrunkGroup: 'tg-2002' })],
  ])('does not exist: %s', async (operation, input) => {
    const asked = await createForeignWorld();
    const before = JSON.stringify([...asked.world.providers, ...asked.world.owners]);
    const { error } = await askAs(asked, globex)(operation, input);
    expect(error?.class).toBe('NotFoundError');
    expect(error?.text).not.toContain('tg-1001');
    expect(JSON.stringify([...asked.world.providers, ...asked.world.owners])).toBe(before);
  });

  it('is in no list', async () => {
    const asked = await createForeignWorld();
    const issuersOf = async (customer: Customer) => {
      const { result } = await askAs(asked, customer)('listProviders', {});
      return (result as readonly { issuer: string }[]).map((one) => one.issuer);
    };
    expect(await issuersOf({})).toEqual([asked.world.issuer, issuer]);
    expect(await issuersOf(globex)).toEqual([asked.world.issuer]);
  });

  it.each(['registerProvider', 'inspectProvider'])(
    'is registered, which is said clearly, and not whose it is: %s',
    async (operation) => {
      const asked = await createForeignWorld();
      const { error, result } = await askAs(asked, globex)(operation, { discoveryUrl });
      const text = JSON.stringify(error ?? result);
      expect(text).toContain('is registered, and an issuer is registered once');
      expect(text).toContain("ask the platform's staff");
      expect(text).not.toContain('tg-1001');
    },
  );

  it('is open to no client of another trunk group, also by the staff', async () => {
    const asked = await createForeignWorld();
    const foreign = under(issuer, { serviceTrunkGroup: 'tg-2002' });
    const { error } = await asked.ask('createClient', foreign);
    expect(error).toMatchObject({ class: 'InputError', field: 'provider' });
    const own = under(issuer, { serviceTrunkGroup: 'tg-1001' });
    expect((await asked.ask('createClient', own)).error).toBeUndefined();
  });

  it('is not changed by someone who reaches only one of its trunk groups', async () => {
    const asked = await createOwnWorld();
    const { world } = asked;
    await registerOwn(world, ['tg-1001', 'tg-2002']);
    const ada = askAs(asked, {});
    const found = await ada('findProvider', { issuer });
    expect(found.result).toMatchObject({ owner: { trunkGroups: ['tg-1001'], others: true } });
    expect(JSON.stringify(found.result)).not.toContain('tg-2002');
    const ifRegistration = world.providers.get(issuer)?.registrationId;
    for (const [operation, input] of [
      ['deleteProvider', { issuer, options: { ifRegistration } }],
      ['setProviderTrunkGroups', { issuer, owners: { trunkGroups: ['tg-1001'], ifVersion: 1 } }],
    ] as const) {
      const { error } = await ada(operation, input);
      expect(error).toMatchObject({ class: 'RefusedError' });
      expect(error?.text).not.toContain('tg-2002');
    }
    // Its ids are not the caller's only.
    expect((await ada('createClient', under(issuer))).error?.field).toBe('externalClientId');
    grantSubject(world, issuer, { erp: ['tg-1001'] });
    expect((await ada('createClient', under(issuer))).error).toBeUndefined();
  });

  it('of the platform is looked at, and not changed', async () => {
    const asked = await createOwnWorld();
    const { world } = asked;
    const ada = askAs(asked, {});
    const ifRegistration = world.providers.get(world.issuer)?.registrationId;
    const deletion = { issuer: world.issuer, options: { ifRegistration } };
    expect((await ada('findProvider', { issuer: world.issuer })).error).toBeUndefined();
    expect((await ada('deleteProvider', deletion)).error?.class).toBe('RefusedError');
    const owners = { trunkGroups: ['tg-1001'], ifVersion: 1 };
    const taking = await ada('setProviderTrunkGroups', { issuer: world.issuer, owners });
    expect(taking.error?.class).toBe('RefusedError');
  });
});

describe('the platform’s staff', () => {
  it('registers a provider for a customer, takes it over, and then opens it as its own', async () => {
    const asked = await createOwnWorld('unset');
    const { ask, world } = asked;
    const { result } = await ask('registerProvider', register);
    expect(result).toMatchObject({ provider: { owner: { trunkGroups: ['tg-1001'] } } });
    const globex = under(issuer, { serviceTrunkGroup: 'tg-2002' });
    expect((await ask('createClient', globex)).error?.class).toBe('InputError');
    const taken = { issuer, owners: { trunkGroups: [], ifVersion: 1 } };
    expect((await ask('setProviderTrunkGroups', taken)).result).toMatchObject({
      owner: { trunkGroups: [], version: 2 },
    });
    expect((await ask('createClient', globex)).error).toBeUndefined();
    const limits = { serviceTrunkGroup: 'tg-2002', version: 1, providers: [] };
    world.limits.set('tg-2002', limits);
    const second = under(issuer, { serviceTrunkGroup: 'tg-2002', externalClientId: 'second' });
    const answer = await askAs(asked, { groups: ['tg-2002'] })('createClient', second);
    expect(answer.error?.class).toBe('NotFoundError');
    const back = { issuer, owners: { trunkGroups: ['tg-1001'], ifVersion: 2 } };
    expect((await ask('setProviderTrunkGroups', back)).error?.class).toBe('RefusedError');
  });

  it('does not change what was registered for the whole platform', async () => {
    const { ask, world } = await createOwnWorld();
    const owners = { trunkGroups: ['tg-1001'], ifVersion: 0 };
    const { error } = await ask('setProviderTrunkGroups', { issuer: world.issuer, owners });
    expect(error?.class).toBe('RefusedError');
  });

  it('gives a provider whose owner is not known to a customer again', async () => {
    const asked = await createOwnWorld();
    const { ask, world } = asked;
    const ada = askAs(asked, {});
    await ada('registerProvider', register);
    world.owners.clear();
    expect((await ada('findProvider', { issuer })).error?.class).toBe('NotFoundError');
    expect((await ask('createClient', under(issuer))).error?.class).toBe('InputError');
    expect((await ask('findProvider', { issuer })).result).toMatchObject({
      owner: { trunkGroups: [], version: 0 },
    });
    const owners = { trunkGroups: ['tg-1001'], ifVersion: 0 };
    expect((await ask('setProviderTrunkGroups', { issuer, owners })).error).toBeUndefined();
    expect((await ada('createClient', under(issuer))).error).toBeUndefined();
  });
});

describe('an operator whom the config limits', () => {
  it('has a provider of its own, by the alias of provider operators', async () => {
    const asked = await restrictedWorld({});
    const { ask, world } = asked;
    await registerOwn(world, ['tg-1001']);
    world.providers.delete(issuer);
    const attempt = () => ask('registerProvider', { discoveryUrl }, 'provider-operator');
    expect((await attempt()).error?.class).toBe('RefusedError');
    const limits = { serviceTrunkGroup: 'tg-1001', version: 1, ownProviders: 1 };
    world.limits.set('tg-1001', limits);
    expect((await attempt()).error?.text).toContain('is not granted');
    grantIssuer(world, issuer, ['tg-1001']);
    expect((await attempt()).error).toBeUndefined();
    const { error } = await ask('registerProvider', { discoveryUrl }, 'client-operator');
    expect(error?.class).toBe('AwsCallerError');
  });
});
