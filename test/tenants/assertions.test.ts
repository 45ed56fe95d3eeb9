import { expect, it } from 'vitest';
import type { Client } from '../../core/client/client.ts';
import { TooManyFailuresError } from '../../core/errors.ts';
import { AssertionRefusal } from '../../core/federated/assertion-request.ts';
import { WorkloadAuthentication } from '../../core/federated/authenticate-workload.ts';
import type { IdentityProvider } from '../../core/identity-provider/identity-provider.ts';
import { createTestKey, signToken, type TestKey } from '../../lab/support/test-issuer.ts';
import {
  createProvider,
  createProviderClient,
  createTestKeys,
  issuer,
  otherKey,
  providerIssuer,
  providerKey,
  now as start,
} from '../../lab/support/verifier-world.ts';

/*
 * Two customers at one instance of the token function, from one address. Regardless of what the hostile one
 * sends, the assertion of the other gets its token, for as many reads and fetches as without it.
 */

const subject = 'system:serviceaccount:voice:dialer';
const wicked = 'https://wicked.example.net';
const wickedKey = createTestKey('ES256');

function createWorld() {
  const time = { now: start };
  const calls: string[] = [];
  const documents = new Map<string, () => Promise<unknown>>();
  const own = {
    issuer: wicked,
    registrationId: 'idp_2',
    owned: true as const,
    ownedBy: 'tg-1',
    jwksUri: `${wicked}/keys`,
  };
  const providers = [
    createProvider({ clientIdClaim: 'sub', clientPatterns: true }),
    createProvider({ ...own, clientIdClaim: 'sub' }),
  ];
  documents.set(providers[0]?.jwksUri ?? '', async () => ({ keys: [providerKey.jwk] }));
  documents.set(own.jwksUri, async () => ({ keys: [wickedKey.jwk] }));
  const clientOf = (provider: IdentityProvider | undefined, serviceTrunkGroup: string): Client => {
    const { issuer: at = '', registrationId = '' } = provider ?? {};
    const place = { issuer: at, registrationId, externalClientId: subject };
    return { ...createProviderClient({ provider: place }), serviceTrunkGroup };
  };
  const clients = [clientOf(providers[0], 'tg-1001'), clientOf(providers[1], 'tg-2002')];
  const workloads = new WorkloadAuthentication(
    {
      jwks: createTestKeys(time, async ({ jwksUri }) => {
        calls.push(`fetch ${jwksUri}`);
        return documents.get(jwksUri)?.();
      }),
      clients: {
        async findClient(id) {
          calls.push('client');
          return clients.find(({ clientId }) => clientId === id);
        },
      },
      identityProviders: {
        async findIdentityProvider(at) {
          calls.push('provider');
          return providers.find((one) => one.issuer === at);
        },
      },
    },
    { issuer, tokenEndpoints: [], maxAge: 3600, ownProviders: true },
  );
  const send = async (claims: object, key: TestKey, header: object = {}) => {
    const usual = { sub: subject, aud: issuer, iat: time.now, exp: time.now + 600 };
    const assertion = signToken(key, { ...usual, ...claims }, { typ: 'JWT', ...header });
    const log = {};
    const asked = { form: 'jwt_bearer' as const, assertion, clientId: undefined };
    const values = { now: time.now, random: new Uint8Array(16), source: '192.0.2.1', log };
    try {
      return (await workloads.decide(asked, values)).client.serviceTrunkGroup;
    } catch (error) {
      if (error instanceof TooManyFailuresError || error instanceof AssertionRefusal) return 'no';
      if (error instanceof Error && error.name === 'BearerRefusal') return 'no';
      throw error;
    }
  };
  const grace = async () => {
    calls.length = 0;
    return [await send({ iss: providerIssuer, jti: 'g' }, providerKey), ...calls];
  };
  return { time, documents, own, providers, send, grace };
}

type World = ReturnType<typeof createWorld>;

const many = async (times: number, act: (index: number) => Promise<unknown>) => {
  for (let index = 0; index < times; index += 1) await act(index);
};

const acts: Readonly<Record<string, (world: World) => Promise<void>>> = {
  'sends assertions of its own provider, which fails': async ({ documents, own, send }) => {
    documents.set(own.jwksUri, () => Promise.reject(new Error('down')));
    await many(100, (index) => send({ iss: wicked, jti: String(index) }, wickedKey));
  },
  'signs for the subject of the other with its own key': ({ send }) =>
    many(100, () => send({ iss: providerIssuer }, wickedKey, { kid: providerKey.kid })),
  'publishes a key with the kid of the other’s provider': async ({ documents, own, send }) => {
    const stolen = { ...wickedKey.jwk, kid: providerKey.kid };
    documents.set(own.jwksUri, async () => ({ keys: [stolen] }));
    const kid = { kid: providerKey.kid };
    expect(await send({ iss: wicked }, wickedKey, kid)).toBe('tg-2002');
    expect(await send({ iss: providerIssuer }, wickedKey, kid)).toBe('no');
  },
  'invents key ids of the other’s provider': ({ send }) =>
    many(100, (index) => send({ iss: providerIssuer }, otherKey, { kid: `kid-${index}` })),
  'invents issuers': ({ send }) =>
    many(2000, (index) => send({ iss: `https://${index}.example.net` }, wickedKey)),
  'has 2,000 subjects without a client at the shared provider': ({ send }) =>
    many(2000, (index) => send({ iss: providerIssuer, sub: `${subject}-${index}` }, providerKey)),
  'takes its provider away, and registers it again': async ({ providers, own, send }) => {
    providers[1] = createProvider({ ...own, clientIdClaim: 'sub', registrationId: 'idp_3' });
    expect(await send({ iss: wicked }, wickedKey)).toBe('no');
  },
};

it.each(Object.entries(acts))('the other gets its token while one %s', async (_, act) => {
  const quiet = createWorld();
  await quiet.grace();
  const expected = await quiet.grace();
  expect(expected[0]).toBe('tg-1001');

  const world = createWorld();
  await world.grace();
  await act(world);
  const [group, ...calls] = await world.grace();
  expect(group).toBe('tg-1001');
  // A source over its limit costs less: the provider is remembered for seconds.
  expect(expected).toEqual(expect.arrayContaining(calls));
  expect(calls.length).toBeLessThan(expected.length);
});
