import { describe, expect, it, vi } from 'vitest';
import { toClientItem } from '../../../adapters/dynamodb/items/client-item.ts';
import { isEnabled } from '../../../core/stops.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { grantIssuer, grantSubject } from '../../adapters/management/world.ts';
import { createSharedWorld, issuer, managerOf, under } from './shared-issuer.ts';

const main = 'repo:globex/app:ref:refs/heads/main';
const branches = 'repo:globex/app:ref:refs/heads/*';

/** Of the client that was created. */
const idOf = (result: unknown) => (result as { client: { clientId: string } }).client.clientId;

const decides = 'a client of another service trunk group decides about the credential';

const denied = { class: 'InputError', field: 'externalClientId' };

describe('a client id at a provider that several customers share', () => {
  it('is explained as platform APIs decide, without the name of another customer', async () => {
    const { ada, grace, grant, ask, tokenFor } = await createSharedWorld();
    await grant('repo:acme/', ['tg-acme']);
    const broad = under('repo:acme/app:ref:refs/heads/*', 'tg-acme');
    expect((await ada('createClient', broad)).error).toBeUndefined();
    const id = 'repo:acme/app:ref:refs/heads/main';
    const question = { credential: tokenFor(id) };
    expect((await ada('explainRequest', { question })).result).toMatchObject({ accepted: true });
    const exact = under(id, 'tg-globex', { allowOtherGrant: true });
    const other = (await ask('createClient', exact)).result as { client: { clientId: string } };
    const refused = { class: 'RefusedError', text: decides };
    const { error } = await ada('explainRequest', { question });
    expect(error).toMatchObject(refused);
    const { clientId } = other.client;
    expect((await grace('explainRequest', { question })).result).toMatchObject({ accepted: true });
    const stopped = await ask('setClientEnabled', { clientId, enabled: false, options: {} });
    expect(stopped.error).toBeUndefined();
    expect((await ada('explainRequest', { question })).error).toMatchObject(refused);
    const elsewhere = { credential: tokenFor('repo:acme/app:ref:refs/heads/next') };
    const own = await ada('explainRequest', { question: elsewhere });
    expect(own.result).toMatchObject({ accepted: true });
  });

  it('cannot be created without a grant, with or without patterns', async () => {
    const { ada, ask } = await createSharedWorld();
    for (const id of ['repo:acme/app:ref:refs/heads/main', 'repo:acme/app:ref:refs/heads/*']) {
      const { error } = await ada('createClient', under(id, 'tg-acme'));
      expect(error).toMatchObject(denied);
      expect(error?.text).toContain("none, until the platform's staff grants client ids");
    }
    // Section 2 of the specification: the staff needs no grant.
    expect((await ask('createClient', under(main, 'tg-acme'))).error).toBeUndefined();
  });

  it('is refused with the same words whether it is free, granted to others or has a client', async () => {
    const { ada, grace, grant } = await createSharedWorld();
    await grant('repo:globex/', ['tg-globex']);
    await grant('repo:acme/', ['tg-acme']);
    await grace('createClient', under(main, 'tg-globex'));
    const texts = await Promise.all(
      [main, 'repo:globex/app:environment:x', 'repo:free/app:environment:x', 'repo:acme2/x'].map(
        async (id) =>
          (await ada('createClient', under(id, 'tg-acme'))).error?.text.replaceAll(id, 'ID'),
      ),
    );
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain(`what is granted to tg-acme at ${issuer}: repo:acme/`);
  });

  it.each([
    ['repo:globex-evil/app:ref:refs/heads/main', false],
    ['repo:Globex/app:ref:refs/heads/main', false],
    ['repo:globex%2Fapp:ref:refs/heads/main', false],
    ['repo:/globex/app:ref:refs/heads/main', false],
    ['repo:globex//app:ref:refs/heads/main', true],
    ['repo:globex/app:ref:refs/heads/main', true],
    ['repo:globex/app:ref:refs/heads/*', true],
  ])('%s is within repo:globex/: %s', async (id, isWithin) => {
    const { grace, grant } = await createSharedWorld();
    await grant('repo:globex/', ['tg-globex']);
    const { error } = await grace('createClient', under(id, 'tg-globex'));
    expect(error === undefined).toBe(isWithin);
  });

  it('is for the trunk group that has it, not for another one of the same person', async () => {
    const asked = await createSharedWorld();
    await asked.grant('repo:globex/', ['tg-globex', 'tg-globex-test']);
    const both = managerOf(asked, 'tg-acme', 'tg-globex-test');
    expect((await both('createClient', under(main, 'tg-acme'))).error).toMatchObject(denied);
    expect((await both('createClient', under(main, 'tg-globex-test'))).error).toBeUndefined();
  });

  it('needs no grant under a provider that only the caller’s trunk groups own', async () => {
    const asked = await createSharedWorld();
    const { world, ask } = asked;
    const own = 'https://own.example.net';
    const url = `${own}/.well-known/openid-configuration`;
    world.documents.set(url, { issuer: own, jwks_uri: `${issuer}/keys` });
    const options = { trunkGroups: ['tg-acme', 'tg-globex'] };
    expect((await ask('registerProvider', { discoveryUrl: url, options })).error).toBeUndefined();
    const client = (group: string) => under('erp', group, { provider: own });
    // Another customer owns it, too.
    expect((await asked.ada('createClient', client('tg-acme'))).error).toMatchObject(denied);
    const both = managerOf(asked, 'tg-acme', 'tg-globex');
    expect((await both('createClient', client('tg-acme'))).error).toBeUndefined();
  });

  it('can be given by the staff to another trunk group only knowingly', async () => {
    const { ask, grant, ada, world } = await createSharedWorld();
    await grant('repo:globex/', ['tg-globex']);
    const { error } = await ask('createClient', under(main, 'tg-acme'));
    expect(error).toMatchObject({
      class: 'RefusedError',
      text: expect.stringContaining('repo:globex/ to tg-globex'),
    });
    const more = { allowOtherGrant: true };
    expect((await ask('createClient', under(main, 'tg-acme', more))).error).toBeUndefined();
    // That it is meant is not stored: the table takes the client.
    expect([...world.clients.values()].map(toClientItem)).toHaveLength(2);
    expect((await ada('createClient', under(branches, 'tg-acme', more))).error).toMatchObject(
      denied,
    );
  });
});

describe('grants of client ids', () => {
  it.each([
    ['repo:globex/*', /no "\*"/],
    ['repo:', /at least 2 parts/],
    ['', /printable ASCII/],
    ['repo:globex/ app', /printable ASCII/],
    ['x'.repeat(256), /1 to 255/],
  ])('refuse %j', async (value, text) => {
    const { grant } = await createSharedWorld();
    const { error } = await grant(value, ['tg-globex']);
    expect(error).toMatchObject({ class: 'InputError', field: 'value' });
    expect(error?.text).toMatch(text);
  });

  it('do not overlap, also if two of the staff write at once', async () => {
    const { grant, world } = await createSharedWorld();
    const both = await Promise.all([
      grant('repo:globex/', ['tg-globex']),
      grant('repo:globex/app:', ['tg-acme']),
    ]);
    const refused = both.flatMap(({ error }) => error?.class ?? []);
    expect(refused).toEqual(['ConflictError']);
    const [held] = world.grants.get(`subject ${issuer}`)?.grants ?? [];
    const other = held?.value === 'repo:globex/' ? 'repo:globex/app:' : 'repo:globex/';
    expect((await grant(other, ['tg-acme'])).error).toMatchObject({
      class: 'RefusedError',
      text: expect.stringContaining(`overlaps with ${JSON.stringify(held?.value)}`),
    });
    expect((await grant(held?.value ?? '', ['tg-globex', 'tg-test'])).error).toBeUndefined();
    expect(world.grants.get(`subject ${issuer}`)?.grants).toHaveLength(1);
  });

  it('refuse until the staff says what becomes of each client of another trunk group', async () => {
    const { ask, grant, world } = await createSharedWorld();
    const ids: string[] = [];
    for (const name of ['main', 'next', 'old']) {
      const id = `repo:globex/app:ref:refs/heads/${name}`;
      const { result } = await ask('createClient', under(id, 'tg-acme'));
      ids.push(idOf(result));
    }
    const [disabled = '', deleted = '', left = ''] = ids;
    const { error } = await grant('repo:globex/', ['tg-globex']);
    expect(error?.class).toBe('RefusedError');
    for (const id of ids) expect(error?.text).toContain(id);
    expect(world.grants.size).toBe(0);
    const clients = [
      { clientId: disabled, action: 'disable' },
      { clientId: deleted, action: 'delete' },
    ];
    expect((await grant('repo:globex/', ['tg-globex'], { clients })).error?.text).toContain(left);
    expect(world.clients.get(disabled)?.stops).toBeUndefined();
    const all = [...clients, { clientId: left, action: 'leave' }];
    const { result } = await grant('repo:globex/', ['tg-globex'], { clients: all });
    expect(result).toMatchObject({
      version: 1,
      otherClients: expect.arrayContaining([
        expect.objectContaining({ clientId: disabled, enabled: false }),
        expect.objectContaining({ clientId: left, enabled: true, grantedTo: ['tg-globex'] }),
      ]),
    });
    expect(world.clients.has(deleted)).toBe(false);
    const check = await ask('checkGrants', { filter: { issuer } });
    expect(check.result).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ clientId: left })]),
    });
  });

  it('keep what the staff disabled or left from growing again by its trunk group', async () => {
    const { ask, ada, grace, grant, tokenFor } = await createSharedWorld();
    const { result } = await ask(
      'createClient',
      under(main, 'tg-acme', { scopes: ['calls:view'] }),
    );
    const clientId = idOf(result);
    const ofAda = async () =>
      (await ada('findClient', { clientId })).result as { version: number; enabled: boolean };
    const clients = [{ clientId, action: 'disable' }];
    expect((await grant('repo:globex/', ['tg-globex'], { clients })).error).toBeUndefined();
    expect((await grace('createClient', under(branches, 'tg-globex'))).error).toBeUndefined();
    const refused = {
      class: 'RefusedError',
      text: `the client ${clientId} has ${JSON.stringify(main)} at ${issuer}, which is granted to another service trunk group: only the platform's staff can give it more than it has`,
    };
    const enable = async (by: typeof ask) => {
      const options = { ifVersion: (await ofAda()).version };
      return by('setClientEnabled', { clientId, enabled: true, options });
    };
    expect((await enable(ada)).error).toMatchObject(refused);
    expect((await ofAda()).enabled).toBe(false);
    expect((await enable(ask)).error).toBeUndefined();
    const change = async (changes: object) =>
      ada('updateClient', {
        clientId,
        changes: { ...changes, ifVersion: (await ofAda()).version },
      });
    expect((await change({ scopes: ['messaging:view'] })).error).toMatchObject(refused);
    expect((await change({ tokenLifetime: 86_400 })).error).toMatchObject(refused);
    // What takes nothing from the other trunk group is still the own one's.
    expect((await change({ name: 'Old dialer' })).error).toBeUndefined();
    expect((await change({ requiredClaims: [{ claim: 'x', values: ['y'] }] })).error).toBe(
      undefined,
    );
    expect((await change({ requiredClaims: [] })).error).toMatchObject(refused);
    const stop = { clientId, enabled: false, options: {} };
    expect((await ada('setClientEnabled', stop)).error).toBeUndefined();
    const question = { credential: tokenFor(main) };
    expect((await ask('explainRequest', { question })).result).toMatchObject({ accepted: false });
  });

  it.each([
    ['enables', { stops: personStop }, 'disable'],
    ['deletes', {}, 'delete'],
  ] as const)('win if the trunk group %s the client meanwhile', async (verb, stored, action) => {
    const { ask, ada, grant, world } = await createSharedWorld();
    const ids: string[] = [];
    for (const id of [main, `${main}2`]) {
      const { result } = await ask('createClient', under(id, 'tg-acme'));
      ids.push(idOf(result));
    }
    const [clientId = '', second = ''] = ids;
    const client = world.clients.get(clientId);
    if (client === undefined) throw new Error('there is no client');
    world.clients.set(clientId, { ...client, ...stored });
    const clients = ids.map((one) => ({ clientId: one, action }));
    const decide = async () => (await grant('repo:globex/', ['tg-globex'], { clients })).error;
    if (verb === 'deletes') {
      const { subjectGrants } = world.context;
      const put = subjectGrants.put.bind(subjectGrants);
      vi.spyOn(subjectGrants, 'put').mockImplementation(async (list) => {
        world.clients.delete(clientId);
        await put(list);
      });
      expect(await decide()).toBeUndefined();
    } else {
      const store = world.context.clients;
      const replace = store.replace.bind(store);
      let isFirst = true;
      vi.spyOn(store, 'replace').mockImplementation(async (next) => {
        // It has looked at the grants, and is about to be written.
        const isOfAda = isFirst;
        isFirst = false;
        if (isOfAda) expect(await decide()).toBeUndefined();
        await replace(next);
      });
      const options = { ifVersion: client.version };
      const { error } = await ada('setClientEnabled', { clientId, enabled: true, options });
      expect(error?.class).toBe('ConflictError');
    }
    for (const one of [clientId, second]) {
      const left = world.clients.get(one);
      expect(left !== undefined && isEnabled(left)).toBe(false);
    }
  });

  it('let a trunk group enable what is granted to it, or to none', async () => {
    const { ask, ada, grant } = await createSharedWorld();
    await grant('repo:acme/', ['tg-acme']);
    for (const id of ['repo:acme/app:x', 'repo:none/app:x']) {
      const { result } = await ask('createClient', under(id, 'tg-acme'));
      const clientId = idOf(result);
      const stopped = await ada('setClientEnabled', { clientId, enabled: false, options: {} });
      const options = { ifVersion: (stopped.result as { version: number }).version };
      const enabled = await ada('setClientEnabled', { clientId, enabled: true, options });
      expect(enabled.error).toBeUndefined();
    }
  });

  it('are withdrawn: what exists goes on, and nothing new is created', async () => {
    const { ada, grant, ask, tokenFor } = await createSharedWorld();
    await grant('repo:acme/', ['tg-acme']);
    const id = 'repo:acme/app:ref:refs/heads/main';
    expect((await ada('createClient', under(id, 'tg-acme'))).error).toBeUndefined();
    expect((await grant('repo:acme/', [])).error).toBeUndefined();
    const question = { credential: tokenFor(id) };
    expect((await ada('explainRequest', { question })).result).toMatchObject({ accepted: true });
    expect((await ada('createClient', under(`${id}2`, 'tg-acme'))).error).toMatchObject(denied);
    expect((await grant('repo:acme/', [])).error?.class).toBe('NotFoundError');
    const { result } = await ask('checkGrants', {});
    expect(result).toMatchObject({ items: [{ subject: id, grantedTo: [] }] });
  });

  it('show a customer only its own', async () => {
    const { ada, grant } = await createSharedWorld();
    await grant('repo:globex/', ['tg-globex']);
    await grant('repo:acme/', ['tg-acme', 'tg-globex']);
    const { result } = await ada('findSubjectGrants', { issuer });
    expect(result).toMatchObject({ grants: [{ value: 'repo:acme/', trunkGroups: ['tg-acme'] }] });
    expect(JSON.stringify(result)).not.toContain('globex');
  });

  it('do not tell a customer whether others have some, when they were changed or how often', async () => {
    const { ada, ask, grant } = await createSharedWorld();
    const hosts = ['https://sso.example.net', 'https://free.example.net'];
    const seen = async () => [
      (await ada('findSubjectGrants', { issuer })).result,
      ...(await Promise.all(hosts.map((host) => ada('findIssuerGrants', { issuer: host })))).map(
        ({ result }) => result,
      ),
      (await ada('listAudit', { filter: {} })).result,
    ];
    expect((await grant('repo:acme/', ['tg-acme'])).error).toBeUndefined();
    const before = await seen();
    expect(before[0]).toMatchObject({ grants: [{ value: 'repo:acme/' }], version: 0 });
    await grant('repo:globex/', ['tg-globex']);
    const given = { trunkGroups: ['tg-globex'], ifVersion: 0 };
    await ask('setIssuerGrant', { issuer: hosts[0], grant: given });
    expect(await seen()).toEqual(before);
    await grant('repo:acme2/', ['tg-acme']);
    expect(JSON.stringify(await seen())).not.toContain('"version":3');
  });

  it('say when the list of an issuer is full', async () => {
    const { grant, world } = await createSharedWorld();
    const value = (index: number) => `repo:${'x'.repeat(240)}${index}/`;
    const many = Array.from({ length: 1100 }, (_, index) => [value(index), ['tg-1']] as const);
    grantSubject(world, issuer, Object.fromEntries(many));
    const { error } = await grant('repo:globex/', ['tg-globex']);
    expect(error).toMatchObject({
      class: 'RefusedError',
      text: expect.stringMatching(/would have \d+ bytes; allowed: at most 300000/),
    });
    expect((await grant(value(0), [])).error).toBeUndefined();
  });

  it('are in the audit, for the trunk group that they are of', async () => {
    const { ada, grace, grant } = await createSharedWorld();
    await grant('repo:globex/', ['tg-globex']);
    const filter = {};
    expect((await grace('listAudit', { filter })).result).toMatchObject({
      items: [{ action: 'subject_grant.set', subject: issuer, after: { value: 'repo:globex/' } }],
    });
    expect((await ada('listAudit', { filter })).result).toMatchObject({ items: [] });
  });
});

describe('an issuer that a customer may register', () => {
  const own = 'https://sso.example.net/realms/acme';
  const url = `${own}/.well-known/openid-configuration`;

  async function createOwnWorld() {
    const asked = await createSharedWorld();
    const { world } = asked;
    for (const serviceTrunkGroup of ['tg-acme', 'tg-globex']) {
      world.limits.set(serviceTrunkGroup, { serviceTrunkGroup, version: 1, ownProviders: 9 });
    }
    const publish = (at: string, says: string) =>
      world.documents.set(at, { issuer: says, jwks_uri: `${issuer}/keys` });
    publish(url, own);
    const fetched: string[] = [];
    const has = world.documents.has.bind(world.documents);
    world.documents.has = (at) => {
      fetched.push(at);
      return has(at);
    };
    const register = (discoveryUrl: string, trunkGroups?: readonly string[]) =>
      asked.ada('registerProvider', { discoveryUrl, options: { trunkGroups } });
    return { ...asked, publish, register, fetched };
  }

  it('is granted by the staff; without that, nothing is registered or fetched', async () => {
    const { register, ada, world, fetched } = await createOwnWorld();
    expect((await register(url)).error).toMatchObject({
      class: 'RefusedError',
      text: `${own} is not granted to the service trunk group tg-acme; the platform's staff can grant it`,
    });
    expect((await ada('inspectProvider', { discoveryUrl: url })).error?.class).toBe('RefusedError');
    expect(fetched).toEqual([]);
    grantIssuer(world, own, ['tg-acme']);
    const inspected = await ada('inspectProvider', { discoveryUrl: url });
    expect(inspected.result).toMatchObject({ registrable: true });
    expect((await register(url)).result).toMatchObject({
      provider: { owner: { trunkGroups: ['tg-acme'] } },
    });
  });

  it.each([
    'https://sso.example.net/realms/acme2',
    'https://sso.example.net/realms/Acme',
    'https://sso.example.net/realms',
    'https://sso.example.net.evil.example/realms/acme',
    'https://sso.example.net:8443/realms/acme',
    'https://sso.example.net/realms/globex/../acme',
    'https://sso.example.net/realms/acme/..%2fglobex',
    'https://sso.example.net/realms//acme',
    'https://sso.example.net/realms/acme//',
  ])('does not become %s', async (other) => {
    const { register, publish, world, fetched } = await createOwnWorld();
    grantIssuer(world, own, ['tg-acme']);
    const at = `${other}/.well-known/openid-configuration`;
    publish(at, other);
    expect((await register(at)).error?.class).toBe('RefusedError');
    expect(fetched).toEqual([]);
  });

  it('is the one that its document says, and no other place is then fetched', async () => {
    const { register, publish, world, fetched } = await createOwnWorld();
    grantIssuer(world, own, ['tg-acme']);
    publish(url, 'https://victim.example.net');
    expect((await register(url)).error?.text).toContain(
      'https://victim.example.net is not granted to the service trunk group tg-acme',
    );
    expect(fetched).toEqual([url]);
  });

  it('is not registered if its grant goes to another while its provider keeps us waiting', async () => {
    const { register, ask, world } = await createOwnWorld();
    const set = (trunkGroups: readonly string[], ifVersion: number) =>
      ask('setIssuerGrant', { issuer: own, grant: { trunkGroups, ifVersion } });
    expect((await set(['tg-acme'], 0)).error).toBeUndefined();
    const keys = `${issuer}/keys`;
    const get = world.documents.get.bind(world.documents);
    const moves: Promise<{ error?: unknown }>[] = [];
    world.documents.get = (at) => {
      if (at === keys) moves.push(set([], 1).then(() => set(['tg-globex'], 2)));
      return get(at);
    };
    const { identityProviders } = world.context;
    const create = identityProviders.createIdentityProvider.bind(identityProviders);
    vi.spyOn(identityProviders, 'createIdentityProvider').mockImplementation(async (provider) => {
      for (const move of moves) expect((await move).error).toBeUndefined();
      await create(provider);
    });
    expect((await register(url)).error).toMatchObject({
      class: 'RefusedError',
      text: `${own} is not granted to the service trunk group tg-acme; the platform's staff can grant it`,
    });
    expect(world.providers.has(own)).toBe(false);
  });

  it('is granted to each trunk group of the registration', async () => {
    const asked = await createOwnWorld();
    grantIssuer(asked.world, own, ['tg-acme']);
    const both = managerOf(asked, 'tg-acme', 'tg-globex');
    const options = { trunkGroups: ['tg-acme', 'tg-globex'] };
    const { error } = await both('registerProvider', { discoveryUrl: url, options });
    expect(error?.text).toContain('not granted to the service trunk group tg-globex');
    const { result } = await both('registerProvider', { discoveryUrl: url });
    expect(result).toMatchObject({ provider: { owner: { trunkGroups: ['tg-acme'] } } });
    const owners = { ...options, ifVersion: 1 };
    const added = await both('setProviderTrunkGroups', { issuer: own, owners });
    expect(added.error?.text).toContain('not granted to the service trunk group tg-globex');
  });

  it('cannot name its client by a claim that users can write', async () => {
    const { ada, world } = await createOwnWorld();
    grantIssuer(world, own, ['tg-acme']);
    const options = { clientIdClaim: 'preferred_username', allowUserWritableClaim: true };
    const { error } = await ada('registerProvider', { discoveryUrl: url, options });
    expect(error).toMatchObject({
      class: 'RefusedError',
      text: expect.stringContaining("only the platform's staff can register"),
    });
  });

  it('is not what the staff granted to another trunk group, also for the staff', async () => {
    const { ask, world } = await createOwnWorld();
    grantIssuer(world, own, ['tg-acme']);
    const options = { trunkGroups: ['tg-globex'] };
    const { error } = await ask('registerProvider', { discoveryUrl: url, options });
    expect(error?.text).toContain(`${own} is granted to tg-acme`);
    const gitlab = 'https://gitlab.com/.well-known/openid-configuration';
    world.documents.set(gitlab, { issuer: 'https://gitlab.com', jwks_uri: `${issuer}/keys` });
    const shared = await ask('registerProvider', { discoveryUrl: gitlab, options });
    expect(shared.error?.text).toContain('gitlab.com has tenants of every customer');
    expect((await ask('registerProvider', { discoveryUrl: gitlab })).error).toBeUndefined();
  });
});

describe('grants of issuers', () => {
  const grantOf = (trunkGroups: readonly string[], ifVersion: number, more: object = {}) => ({
    trunkGroups,
    ifVersion,
    ...more,
  });

  it.each([
    ['https://gitlab.com', 'tenants of every customer'],
    ['https://login.microsoftonline.com/common', 'tenants of every customer'],
    ['https://sso.example.net/', 'normal form'],
    ['https://SSO.example.net', 'normal form'],
    ['https://sso.example.net/a%2Fb', 'normal form'],
    ['http://sso.example.net', 'https'],
    ['https://10.0.0.1', 'public internet'],
    ['https://sso.example.net:22', 'port 443 or 8443'],
    ['sso.example.net', 'https'],
  ])('refuse %s', async (value, text) => {
    const { ask } = await createSharedWorld();
    const { error } = await ask('setIssuerGrant', { issuer: value, grant: grantOf(['tg-1'], 0) });
    expect(error?.class).toBe('InputError');
    expect(error?.text).toContain(text);
  });

  it('say if another trunk group registered the issuer while they were written', async () => {
    const { ask, world } = await createSharedWorld();
    const own = 'https://sso.example.net';
    const { issuerGrants } = world.context;
    const put = issuerGrants.put.bind(issuerGrants);
    vi.spyOn(issuerGrants, 'put').mockImplementation(async (list) => {
      const registrationId = 'idp_1';
      const owner = { registrationId, issuer: own, trunkGroups: ['tg-acme'] };
      world.owners.set(registrationId, { ...owner, version: 1, updatedAt: world.now });
      const like = world.providers.get(issuer);
      if (like === undefined) throw new Error('there is no provider');
      world.providers.set(own, { ...like, issuer: own, registrationId, owned: true });
      await put(list);
    });
    const { error } = await ask('setIssuerGrant', { issuer: own, grant: grantOf(['tg-1'], 0) });
    expect(error).toMatchObject({
      class: 'ConflictError',
      text: `the grant is written, and meanwhile ${own} is registered for the service trunk groups tg-acme: delete or assign that provider first, or say that they keep it (leave)`,
    });
  });

  it('do not overlap at a host, and are withdrawn', async () => {
    const { ask } = await createSharedWorld();
    const set = (value: string, ...given: Parameters<typeof grantOf>) =>
      ask('setIssuerGrant', { issuer: value, grant: grantOf(...given) });
    expect(
      (await set('https://sso.example.net/realms/acme', ['tg-acme'], 0)).error,
    ).toBeUndefined();
    expect((await set('https://sso.example.net', ['tg-globex'], 1)).error?.text).toContain(
      'overlaps with "https://sso.example.net/realms/acme"',
    );
    expect((await set('https://sso.example.net/realms/globex', ['tg-globex'], 1)).error).toBe(
      undefined,
    );
    expect((await set('https://sso.example.net/realms/acme', ['tg-acme'], 1)).error?.class).toBe(
      'VersionConflictError',
    );
    const found = await ask('findIssuerGrants', { issuer: 'https://sso.example.net/any' });
    expect(found.result).toMatchObject({ place: 'sso.example.net', version: 2 });
    expect((await set('https://sso.example.net/realms/acme', [], 2)).error).toBeUndefined();
    const list = await ask('listGrants', { filter: { kind: 'issuer' } });
    expect(list.result).toMatchObject({
      items: [{ place: 'sso.example.net', grants: [{ trunkGroups: ['tg-globex'] }], version: 3 }],
    });
  });

  it('name the providers that other trunk groups have there, until the staff leaves them', async () => {
    const { ask, world } = await createSharedWorld();
    const own = 'https://own.example.net';
    const url = `${own}/.well-known/openid-configuration`;
    world.documents.set(url, { issuer: own, jwks_uri: `${issuer}/keys` });
    const options = { trunkGroups: ['tg-acme'] };
    await ask('registerProvider', { discoveryUrl: url, options });
    const set = (more: object) =>
      ask('setIssuerGrant', { issuer: own, grant: grantOf(['tg-globex'], 0, more) });
    expect((await set({})).error?.text).toContain(`${own} is registered for the service trunk`);
    expect((await set({ leave: [own] })).error).toBeUndefined();
    const check = await ask('checkGrants', {});
    expect(check.result).toMatchObject({ providers: [{ issuer: own, trunkGroups: ['tg-acme'] }] });
  });
});

describe('a takeover', () => {
  const own = 'https://everybody.example.net';
  const url = `${own}/.well-known/openid-configuration`;

  /** A provider without a grant, as one that was withdrawn leaves it, and a client that waits. */
  async function createTakenWorld(clientIdClaim?: string) {
    const asked = await createSharedWorld();
    const { world, ask } = asked;
    world.documents.set(url, { issuer: own, jwks_uri: `${issuer}/keys` });
    const options = {
      trunkGroups: ['tg-acme'],
      clientIdClaim,
      allowUserWritableClaim: clientIdClaim === undefined ? undefined : true,
    };
    await ask('registerProvider', { discoveryUrl: url, options });
    const client = under('grace', 'tg-acme', { provider: own });
    expect((await asked.ada('createClient', client)).error).toBeUndefined();
    const take = (more: object) =>
      ask('setProviderTrunkGroups', {
        issuer: own,
        owners: { trunkGroups: [], ifVersion: 1, ...more },
      });
    return { ...asked, take };
  }

  it('is refused while clients exist outside the trunk groups that the staff names', async () => {
    const { take, world } = await createTakenWorld();
    const { error } = await take({});
    expect(error).toMatchObject({
      class: 'RefusedError',
      text: expect.stringMatching(
        /the client client_\w+ \(Dialer, "grace"\) of .* tg-acme is under the provider; delete it first, or .* \(keepClientsOf; with authctl, --keep-clients-of\)$/,
      ),
    });
    expect((await take({ keepClientsOf: ['tg-globex'] })).error?.class).toBe('RefusedError');
    expect(world.providers.get(own)?.ownedBy).toBe('tg-acme');
    expect([...world.owners.values()].at(-1)?.trunkGroups).toEqual(['tg-acme']);
    expect((await take({ keepClientsOf: ['tg-acme'] })).result).toMatchObject({
      owner: { trunkGroups: [] },
    });
    expect(world.providers.get(own)).toMatchObject({ owned: true, ownedBy: undefined });
  });

  it('asks again for a claim that users can write', async () => {
    const { take } = await createTakenWorld('preferred_username');
    const keepClientsOf = ['tg-acme'];
    expect((await take({ keepClientsOf })).error?.text).toContain(
      'the claim "preferred_username" is not known to be written only by the provider',
    );
    expect((await take({ keepClientsOf, allowUserWritableClaim: true })).error).toBeUndefined();
  });

  it('has these choices, and no other change of trunk groups', async () => {
    const { take } = await createTakenWorld();
    const { error } = await take({ trunkGroups: ['tg-acme'], keepClientsOf: ['tg-acme'] });
    expect(error).toMatchObject({ class: 'InputError', field: 'keepClientsOf' });
  });
});
