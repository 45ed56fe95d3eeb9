import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Client } from '../../../core/client/client.ts';
import { ServiceUnavailableError, TooManyFailuresError } from '../../../core/errors.ts';
import { AssertionRefusal } from '../../../core/federated/assertion-request.ts';
import { WorkloadAuthentication } from '../../../core/federated/authenticate-workload.ts';
import type { IdentityProvider } from '../../../core/identity-provider/identity-provider.ts';
import type { TokenLogFields } from '../../../core/token/token-values.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { signToken } from '../../../lab/support/test-issuer.ts';
import {
  createProvider,
  createProviderClient,
  createTestKeys,
  issuer,
  otherKey,
  providerIssuer,
  providerKey,
  now as start,
} from '../../../lab/support/verifier-world.ts';

const subject = 'repo:acme/app:ref:refs/heads/feature/login';
const pattern = 'repo:acme/app:ref:refs/heads/*';
const tokenEndpoint = `${issuer}/api/v1/oauth/token`;

/** Everything that a decision reads, with a record of it. */
function createWorld() {
  const time = { now: start };
  const clients = new Map<string, Client>();
  const providers = new Map<string, IdentityProvider>();
  const reads: string[] = [];
  const state = { keys: 'ok' as 'ok' | 'down' | 'hanging' };
  const jwks = createTestKeys(time, async () => {
    reads.push('keys');
    if (state.keys === 'hanging') return new Promise(() => undefined);
    if (state.keys === 'down') throw new Error('unreachable');
    return { keys: [providerKey.jwk] };
  });
  const create = (more: object = {}) =>
    new WorkloadAuthentication(
      {
        jwks,
        clients: {
          async findClient(id) {
            reads.push('client');
            return clients.get(id);
          },
        },
        identityProviders: {
          async findIdentityProvider(name) {
            reads.push('provider');
            return providers.get(name);
          },
        },
      },
      { issuer, tokenEndpoints: [tokenEndpoint], maxAge: 3600, ownProviders: false, ...more },
    );
  let workloads = create();
  const add = (different: Partial<Client> = {}, externalClientId = subject) => {
    const provider = { issuer: providerIssuer, registrationId: 'idp_1', externalClientId };
    const client = createProviderClient({ provider: { ...provider, ...different.provider } });
    const changed = { ...client, ...different, clientId: client.clientId };
    clients.set(client.clientId, changed);
    return changed;
  };
  return {
    time,
    clients,
    providers,
    reads,
    state,
    add,
    use: (more: object) => {
      workloads = create(more);
    },
    async send(assertion: string, more: { source?: string; form?: object } = {}) {
      const log: TokenLogFields = {};
      const body = new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion,
        ...more.form,
      });
      const request = {
        contentTypes: ['application/x-www-form-urlencoded'],
        authorizations: [],
        queryNames: [],
        body: Buffer.from(body.toString()),
      };
      const { source = '192.0.2.1' } = more;
      const values = { now: time.now, random: new Uint8Array(16), source, log };
      reads.length = 0;
      try {
        const workload = await workloads.authenticate(request, values);
        return { status: 200, workload, log, reads: [...reads] };
      } catch (error) {
        if (error instanceof TooManyFailuresError) {
          return { status: 429, reason: error.retryAfter, log, reads: [...reads] };
        }
        if (!(error instanceof AssertionRefusal)) throw error;
        return { status: 400, reason: error.reason, log, reads: [...reads] };
      }
    },
  };
}

let world: ReturnType<typeof createWorld>;
let serial = 0;

/** While one fails: after 0, 5, 15 and 35 seconds, if chance leaves nothing out. */
const fetchesInAMinute = 4;

function assertion(claims: Readonly<Record<string, unknown>> = {}, header = {}, key = providerKey) {
  serial += 1;
  const { now } = world.time;
  const usual = { iss: providerIssuer, sub: subject, aud: issuer, iat: now, exp: now + 600 };
  return signToken(key, { ...usual, jti: `a-${serial}`, ...claims }, { typ: 'JWT', ...header });
}

beforeEach(() => {
  world = createWorld();
  const provider = createProvider({ clientPatterns: true, clientIdClaim: 'sub' });
  world.providers.set(providerIssuer, provider);
});

describe('what an assertion costs', () => {
  it.each([
    ['aud', { aud: 'https://api.example.com' }, {}],
    ['no aud', { aud: undefined }, {}],
    ['an expired one', { exp: start - 11 }, {}],
    ['an old one', { iat: start - 3611 }, {}],
    ['one from the future', { iat: start + 61 }, {}],
    ['one for more than a day', { exp: start + 86_401 }, {}],
    ['alg none', {}, { alg: 'none' }],
    ['HMAC', {}, { alg: 'HS256' }],
    ['an access token', {}, { typ: 'at+jwt' }],
    ['a token of this service', { iss: issuer }, {}],
    ['a critical header', {}, { crit: ['exp'] }],
  ])('is nothing before these are right: %s', async (_, claims, header) => {
    world.add();
    const { status, reads } = await world.send(assertion(claims, header));
    expect({ status, reads }).toEqual({ status: 400, reads: [] });
  });

  it.each([
    ['no issuer that is registered', { iss: 'https://login.example.net/x' }, {}, ['provider']],
    ['an algorithm of other providers', {}, { alg: 'PS256' }, ['provider']],
    ['a key that the provider does not have', {}, { kid: 'x' }, ['provider', 'keys']],
  ])('is no client for %s', async (_, claims, header, expected) => {
    world.add();
    const { status, reads } = await world.send(assertion(claims, header));
    expect({ status, reads }).toEqual({ status: 400, reads: expected });
  });

  it('is no client while something stops its provider', async () => {
    world.add();
    world.providers.set(providerIssuer, createProvider({ stops: personStop }));
    const { status, reads } = await world.send(assertion());
    expect({ status, reads }).toEqual({ status: 400, reads: ['provider'] });
  });

  it('is the same reads for an unknown subject, and for each client that is refused', async () => {
    const at = { issuer: providerIssuer, registrationId: 'idp_1', externalClientId: subject };
    const conditions = [{ claim: 'ref', values: ['x'] }];
    const cases: Readonly<Record<string, () => object>> = {
      unknown: () => ({}),
      disabled: () => world.add({ stops: personStop }),
      revoked: () => world.add({ tokensNotBefore: start + 1 }),
      unmet: () => world.add({ provider: { ...at, conditions } }),
      'another client_id': () => world.add(),
      'under a pattern': () => world.add({ stops: personStop }, pattern),
    };
    const results = new Map<string, unknown>();
    for (const [name, arrange] of Object.entries(cases)) {
      await world.send(assertion({ sub: 'repo:acme/app:pull_request' }));
      world.clients.clear();
      arrange();
      const sub = name === 'unknown' ? subject.replace('login', 'other') : subject;
      const form = name === 'another client_id' ? { client_id: 'client_x' } : {};
      const { status, reads } = await world.send(assertion({ sub }), { form });
      results.set(name, [status, ...reads]);
    }
    const reads = ['provider', ...Array.from({ length: 5 }, () => 'client')];
    expect([...results]).toEqual(Object.keys(cases).map((name) => [name, [400, ...reads]]));
  });
});

describe('an assertion of a provider', () => {
  it('gives the client, an hour at most, and no token after its exp and 15 minutes', async () => {
    world.add({ tokenLifetime: 86_400 });
    const { workload } = await world.send(assertion({ exp: start + 60, aud: [tokenEndpoint] }));
    expect(workload).toMatchObject({
      client: { tokenLifetime: 3600, serviceTrunkGroup: 'group-2' },
      latestExpiry: start + 960,
    });
  });

  it('of a trunk group is accepted only with ownProviders, or once the platform took it over', async () => {
    const registrationId = 'idp_1';
    const provider = createProvider({ clientIdClaim: 'sub', registrationId, owned: true });
    world.providers.set(providerIssuer, { ...provider, ownedBy: 'tg-1' });
    world.add({ provider: { issuer: providerIssuer, registrationId, externalClientId: subject } });
    const refused = await world.send(assertion());
    expect(refused).toMatchObject({ status: 400, reason: 'issuer_unknown', reads: ['provider'] });
    world.providers.set(providerIssuer, provider);
    expect((await world.send(assertion())).status).toBe(200);
    world.providers.set(providerIssuer, { ...provider, ownedBy: 'tg-1' });
    world.use({ ownProviders: true });
    expect((await world.send(assertion())).status).toBe(200);
  });

  it('needs the record that a registration made, not one of an earlier registration', async () => {
    world.add({
      provider: { issuer: providerIssuer, registrationId: 'idp_0', externalClientId: subject },
    });
    expect(await world.send(assertion())).toMatchObject({ reason: 'client_unknown' });
  });
});

describe('floods', () => {
  it('of bad signatures cost no read after a few, and good ones of the same source are accepted', async () => {
    world.add();
    for (let count = 0; count < 20; count += 1) {
      expect((await world.send(assertion({}, { kid: providerKey.kid }, otherKey))).status).toBe(
        400,
      );
    }
    const bad = await world.send(assertion({}, { kid: providerKey.kid }, otherKey));
    expect(bad).toMatchObject({ status: 429, reads: [] });
    const elsewhere = assertion({}, { kid: providerKey.kid }, otherKey);
    expect((await world.send(elsewhere, { source: '192.0.2.2' })).status).toBe(400);
    const good = await world.send(assertion());
    expect(good).toMatchObject({ status: 200, reads: ['client'] });
  });

  it('of an issuer that is not registered cost no read after a few', async () => {
    const iss = 'https://login.example.net/x';
    for (let count = 0; count < 20; count += 1) await world.send(assertion({ iss }));
    expect(await world.send(assertion({ iss }))).toMatchObject({ status: 429, reads: [] });
  });

  it('of a subject without a client read no client for five seconds', async () => {
    const sub = 'repo:acme/app:pull_request';
    await world.send(assertion({ sub }));
    expect(await world.send(assertion({ sub }))).toMatchObject({
      status: 400,
      reason: 'client_unknown',
      reads: ['provider'],
    });
    world.add({}, sub);
    world.time.now += 5;
    expect((await world.send(assertion({ sub }))).status).toBe(200);
  });

  it('of one assertion are refused, and another of the same subject is not', async () => {
    world.add({ tokensNotBefore: start });
    const old = assertion({ iat: start - 5 });
    for (let count = 0; count < 20; count += 1) await world.send(old);
    expect((await world.send(old)).status).toBe(429);
    expect((await world.send(assertion())).status).toBe(200);
  });

  it('while keys cannot be fetched are refused with the text of every other, and counted apart', async () => {
    world.add();
    world.state.keys = 'down';
    for (let count = 0; count < 20; count += 1) {
      const { status, reason, log } = await world.send(assertion());
      expect({ status, reason }).toEqual({ status: 400, reason: 'provider_keys_unavailable' });
      expect(log).toEqual({
        counts: ['AssertionsWithoutKeys', 'RefusedAssertions'],
        further: { assertion_issuer: providerIssuer },
      });
    }
    // They count as failures of the source and issuer, until the provider answers again.
    expect(await world.send(assertion())).toMatchObject({ status: 429, reads: [] });
    expect((await world.send(assertion(), { source: '192.0.2.2' })).status).toBe(400);
    world.state.keys = 'ok';
    world.time.now += 30;
    expect((await world.send(assertion())).status).toBe(200);
  });

  it('fetch the keys of a provider that does not answer once in each pause', async () => {
    world.add();
    world.state.keys = 'down';
    let fetches = 0;
    for (let second = 0; second < 60; second += 1) {
      for (let source = 0; source < 10; source += 1) {
        const { reads } = await world.send(assertion(), { source: `192.0.2.${source}` });
        fetches += reads.filter((read) => read === 'keys').length;
      }
      world.time.now += 1;
    }
    expect(fetches).toBe(fetchesInAMinute);
  });

  it.each(['a b', '\u0000\u202e', 'x'.repeat(300), ''])('a jti is any text: %j', async (jti) => {
    world.add();
    const { status, log } = await world.send(assertion({ jti }));
    expect(status).toBe(200);
    expect(log.further?.assertion_jti).toBe(jti.slice(0, 255));
  });
});

it('fails as the service does if a record cannot be read', async () => {
  vi.spyOn(world.providers, 'get').mockImplementation(() => {
    throw new ServiceUnavailableError('DynamoDB', 'down');
  });
  await expect(world.send(assertion())).rejects.toThrow(ServiceUnavailableError);
});
