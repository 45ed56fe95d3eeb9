import { describe, expect, it } from 'vitest';
import { createTestKey } from '../../lab/support/test-issuer.ts';
import { createPortal } from '../../portal/create-portal.ts';
import { askedWorld, newClient } from '../lambda/management/restricted-world.ts';
import { origin } from '../portal/portal-world.ts';
import { createTestFunction } from '../support/management-function.ts';
import { ids, ownLiteral } from './hostile-acts.ts';

const issuer = 'https://ci.example.net';
const discoveryUrl = `${issuer}/.well-known/openid-configuration`;
const key = createTestKey('ES256');

/** A CI issuer that two customers share: Grace has `repo:globex/`, Ada has `repo:acme/`. */
async function createSharedIssuer() {
  const { world, ask } = await askedWorld({ portalReach: { administrators: true } });
  world.documents.set(discoveryUrl, { issuer, jwks_uri: `${issuer}/keys` });
  world.documents.set(`${issuer}/keys`, { keys: [key.jwk] });
  const options = { clientIdClaim: 'sub', allowClientPatterns: true };
  const register = () => ask('registerProvider', { discoveryUrl, options });
  await register();
  const askAs =
    (name: string, ...groups: readonly string[]) =>
    (operation: string, input: object) => {
      const person = { actor: `https://idp.example.net#${name}`, role: 'manager' };
      return ask(operation, input, 'portal', { person, trunk_groups: groups });
    };
  const grant = (value: string, trunkGroups: readonly string[]) => {
    const ifVersion = world.grants.get(`subject ${issuer}`)?.version ?? 0;
    return ask('setSubjectGrant', { issuer, grant: { value, trunkGroups, ifVersion } });
  };
  await grant('repo:globex/', ['tg-globex']);
  await grant('repo:acme/', ['tg-acme']);
  const grace = askAs('grace', 'tg-globex');
  await grace('createClient', under('repo:globex/app:ref:refs/heads/*', 'tg-globex'));
  const ofGrace = () => [
    [...world.clients.values()].filter((one) => one.serviceTrunkGroup === 'tg-globex'),
    world.grants.get(`subject ${issuer}`)?.grants.find(({ value }) => value === 'repo:globex/'),
  ];
  return {
    world,
    ask,
    grant,
    register,
    grace,
    ada: askAs('ada', 'tg-acme'),
    stranger: askAs('stranger', 'tg-nobody'),
    ofGrace,
  };
}

let keys = 0;

function under(externalClientId: string, serviceTrunkGroup: string, more: object = {}) {
  keys += 1;
  const named = { provider: issuer, externalClientId, serviceTrunkGroup };
  return { client: { ...newClient, ...named, idempotencyKey: `tenants-${keys}-12345`, ...more } };
}

describe('a client id of another customer', () => {
  it.each(ids)('%j is not created by a customer or a stranger', async (id) => {
    const { ada, stranger, ofGrace, world } = await createSharedIssuer();
    const before = JSON.stringify(ofGrace());
    const outcome = await ada('createClient', under(id, 'tg-acme'));
    // Refused for the id, and for nothing else.
    expect(outcome.error?.field).toBe(id === ownLiteral ? undefined : 'externalClientId');
    expect(outcome.error === undefined).toBe(id === ownLiteral);
    expect((await stranger('createClient', under(id, 'tg-nobody'))).error).toBeDefined();
    for (const group of ['tg-globex', 'tg-acme']) {
      expect((await stranger('createClient', under(id, group))).error).toBeDefined();
    }
    const more = { allowOtherGrant: true };
    expect((await ada('createClient', under(id, 'tg-globex', more))).error).toBeDefined();
    if (id !== ownLiteral) {
      expect((await ada('createClient', under(id, 'tg-acme', more))).error).toBeDefined();
      const ofAda = [...world.clients.values()].filter(
        (one) => one.serviceTrunkGroup === 'tg-acme',
      );
      expect(ofAda).toEqual([]);
    }
    expect(JSON.stringify(ofGrace())).toBe(before);
  });

  it.each(ids)(
    '%j is not created in the portal, nor in the name of its trunk group',
    async (id) => {
      const { world, ofGrace } = await createSharedIssuer();
      const before = JSON.stringify(ofGrace());
      let groups = ['tg-acme'];
      const portal = createPortal({
        management: createTestFunction(world.context).through('portal'),
        identify: async () => ({
          name: 'Ada',
          role: 'manager',
          trunkGroups: groups,
          actor: async () => 'https://idp.example.net#ada',
        }),
        origins: [origin],
      });
      const post = async (serviceTrunkGroup: string) => {
        const { client } = under(id, serviceTrunkGroup);
        const given = { provider: issuer, externalClientId: id, allowsUserTokens: 'on' };
        const form = { name: client.name, scopes: 'calls:view', serviceTrunkGroup, ...given };
        const body = new URLSearchParams({
          ...form,
          allowOtherGrant: 'on',
          requestId: `request-${keys}-12345`,
        });
        const headers = { origin, 'sec-fetch-site': 'same-origin' };
        const request = new Request(`${origin}/clients`, { method: 'POST', headers, body });
        const response = await portal.fetch(request);
        // The id is the problem, and not another field.
        const text = await response.text();
        if (response.status === 422) {
          expect(text).toMatch(/There is a problem[^]{0,300}Client id at the provider/);
        }
        return response.status;
      };
      expect(await post('tg-acme')).toBe(id === ownLiteral ? 303 : 422);
      expect([404, 422]).toContain(await post('tg-globex'));
      groups = ['tg-nobody'];
      for (const group of ['tg-nobody', 'tg-acme', 'tg-globex']) {
        expect([404, 422]).toContain(await post(group));
      }
      expect(JSON.stringify(ofGrace())).toBe(before);
    },
  );

  it('is not created by 40 calls at once', async () => {
    const { ada, world } = await createSharedIssuer();
    const calls = Array.from({ length: 40 }, (_, index) =>
      ada('createClient', under(ids[index % 4] ?? '', 'tg-acme')),
    );
    const outcomes = await Promise.all(calls);
    expect(outcomes.every(({ error }) => error !== undefined)).toBe(true);
    expect([...world.clients.values()].some((one) => one.serviceTrunkGroup === 'tg-acme')).toBe(
      false,
    );
  });
});

describe('grants', () => {
  it.each([
    'setSubjectGrant',
    'setIssuerGrant',
    'listGrants',
    'checkGrants',
    'setProviderTrunkGroups',
    'deleteProvider',
  ])('are not reached by a customer through %s', async (operation) => {
    const { ada, ofGrace, world } = await createSharedIssuer();
    const before = JSON.stringify(ofGrace());
    const grant = { value: 'repo:globex/', trunkGroups: ['tg-acme'], ifVersion: 2 };
    const owners = { trunkGroups: ['tg-acme'] };
    const inputs = [{ issuer, grant }, { issuer, owners }, { issuer, options: {} }, {}];
    for (const input of inputs) {
      const { error } = await ada(operation, input);
      expect(error).toBeDefined();
      expect(error?.text).not.toMatch(/globex|grace/i);
    }
    expect(JSON.stringify(ofGrace())).toBe(before);
    expect(world.providers.has(issuer)).toBe(true);
  });

  it.each(['repo:globex/*', 'repo:*', '*', 'repo:', 'repo', 'repo:globex/app/*'])(
    'do not have the value %j next to that of another customer',
    async (value) => {
      const { grant, ofGrace } = await createSharedIssuer();
      const before = JSON.stringify(ofGrace());
      const { error } = await grant(value, ['tg-acme']);
      // A whole id that is not within the grant of another one is a grant of its own.
      if (value !== 'repo') expect(error).toBeDefined();
      expect(JSON.stringify(ofGrace())).toBe(before);
    },
  );

  it.each([
    ['repo:new/', 'repo:new/app/'],
    ['repo:new/app/', 'repo:new/'],
    ['repo:new/', 'repo:new/'],
    ['repo:new/', 'repo:new/app'],
  ])('%j and %j, written at once by two of the staff, are never both there', async (one, two) => {
    const { ask, world } = await createSharedIssuer();
    const ifVersion = world.grants.get(`subject ${issuer}`)?.version;
    const write = (value: string, group: string) =>
      ask('setSubjectGrant', { issuer, grant: { value, trunkGroups: [group], ifVersion } });
    const both = await Promise.all([write(one, 'tg-acme'), write(two, 'tg-globex')]);
    expect(both.filter(({ error }) => error === undefined)).toHaveLength(1);
    const stored = world.grants.get(`subject ${issuer}`)?.grants ?? [];
    expect(stored.filter(({ value }) => value.startsWith('repo:new/'))).toHaveLength(1);
  });

  it('that are withdrawn, or of a provider that is deleted and registered again, give nothing more', async () => {
    const { ask, ada, grant, register, world, grace } = await createSharedIssuer();
    await grant('repo:acme/', []);
    const id = 'repo:acme/app:ref:refs/heads/main';
    expect((await ada('createClient', under(id, 'tg-acme'))).error).toBeDefined();
    for (const { clientId, version, provider } of world.clients.values()) {
      if (provider === undefined) continue;
      await ask('deleteClient', { clientId, options: { ifVersion: version } });
    }
    const ifRegistration = world.providers.get(issuer)?.registrationId;
    const gone = await ask('deleteProvider', { issuer, options: { ifRegistration } });
    expect(gone.error).toBeUndefined();
    expect((await register()).error).toBeUndefined();
    for (const taken of [id, 'repo:globex/app:ref:refs/heads/main']) {
      expect((await ada('createClient', under(taken, 'tg-acme'))).error).toBeDefined();
    }
    const own = under('repo:globex/app:ref:refs/heads/main', 'tg-globex');
    expect((await grace('createClient', own)).error).toBeUndefined();
  });
});

describe('a provider that two customers own', () => {
  const shared = 'https://sso.example.net';
  const sharedUrl = `${shared}/.well-known/openid-configuration`;

  /** Both have it for themselves; Grace has `erp` there, and a client. */
  async function createOwnedByTwo() {
    const all = await createSharedIssuer();
    const { world, ask, grace } = all;
    world.documents.set(sharedUrl, { issuer: shared, jwks_uri: `${shared}/keys` });
    world.documents.set(`${shared}/keys`, { keys: [key.jwk] });
    const both = ['tg-acme', 'tg-globex'];
    const options = { trunkGroups: both };
    await ask('registerProvider', { discoveryUrl: sharedUrl, options });
    const grant = { value: 'erp', trunkGroups: ['tg-globex'], ifVersion: 0 };
    await ask('setSubjectGrant', { issuer: shared, grant });
    const at = (id: string, group: string) => under(id, group, { provider: shared });
    expect((await grace('createClient', at('erp', 'tg-globex'))).error).toBeUndefined();
    const ofShared = () =>
      JSON.stringify([
        [...world.clients.values()].filter(({ provider }) => provider?.issuer === shared),
        world.providers.get(shared),
        [...world.owners.values()],
      ]);
    return { ...all, at, ofShared };
  }

  it.each(['erp', 'erp ', 'ERP', 'crm', 'erp/*', 'repo:acme/app'])(
    'gives neither the client id %j without a grant',
    async (id) => {
      const { ada, stranger, at, ofShared } = await createOwnedByTwo();
      const before = ofShared();
      for (const [person, group] of [
        [ada, 'tg-acme'],
        [ada, 'tg-globex'],
        [stranger, 'tg-nobody'],
      ] as const) {
        expect((await person('createClient', at(id, group))).error).toBeDefined();
      }
      expect(ofShared()).toBe(before);
    },
  );

  it.each([
    ['deleteProvider', { issuer: shared, options: { cascade: true } }],
    ['setProviderTrunkGroups', { issuer: shared, owners: { trunkGroups: ['tg-acme'] } }],
    ['setProviderTrunkGroups', { issuer: shared, owners: { trunkGroups: [] } }],
    ['registerProvider', { discoveryUrl: sharedUrl, options: {} }],
  ])('is not changed by one of them: %s', async (operation, input) => {
    const { ada, world, ofShared } = await createOwnedByTwo();
    const before = ofShared();
    const ifRegistration = world.providers.get(shared)?.registrationId;
    const [name, options] = Object.entries(input)[1] ?? ['', {}];
    const more = operation === 'deleteProvider' ? { ifRegistration } : { ifVersion: 1 };
    const sent =
      operation === 'registerProvider'
        ? input
        : { ...input, [name]: { ...(options as object), ...more } };
    expect((await ada(operation, sent)).error).toBeDefined();
    expect(ofShared()).toBe(before);
  });

  it('is granted an id that the other does not have', async () => {
    const { ask, ada, at } = await createOwnedByTwo();
    const grant = { value: 'crm', trunkGroups: ['tg-acme'], ifVersion: 1 };
    await ask('setSubjectGrant', { issuer: shared, grant });
    expect((await ada('createClient', at('crm', 'tg-acme'))).error).toBeUndefined();
    expect((await ada('createClient', at('erp', 'tg-acme'))).error).toBeDefined();
  });
});

describe('a provider that is closed to a customer', () => {
  it.each(ids)('has no client id %j for it, granted or not', async (id) => {
    const { ada, world, ofGrace } = await createSharedIssuer();
    world.limits.set('tg-acme', { serviceTrunkGroup: 'tg-acme', version: 1, providers: [] });
    const unknown = { provider: 'https://unknown.example.net' };
    const before = JSON.stringify(ofGrace());
    const closed = await ada('createClient', under(id, 'tg-acme'));
    const absent = await ada('createClient', under(id, 'tg-acme', unknown));
    const text = (outcome: typeof closed) =>
      outcome.error?.text?.replaceAll(unknown.provider, issuer);
    expect(closed.error).toBeDefined();
    expect(text(closed)).toBe(text(absent));
    expect(JSON.stringify(ofGrace())).toBe(before);
  });

  it('is not found with a grant, and fetches nothing', async () => {
    const { ada, world } = await createSharedIssuer();
    world.limits.set('tg-acme', { serviceTrunkGroup: 'tg-acme', version: 1, providers: [] });
    world.documents.clear();
    const granted = under('repo:acme/app:ref:refs/heads/main', 'tg-acme');
    for (const [operation, input] of [
      ['createClient', granted],
      ['findProvider', { issuer }],
      ['inspectProviderKeys', { issuer }],
    ] as const) {
      expect((await ada(operation, input)).error?.class).toBe('NotFoundError');
    }
    expect((await ada('listProviders', {})).result).toEqual([]);
  });
});
