import type { OperationName } from '../../adapters/management.ts';
import { createTestKey, signToken } from '../../lab/support/test-issuer.ts';
import { validCalls } from '../adapters/management/valid-calls.ts';
import { foreignGroup, type TwoCustomers } from './two-customers.ts';

/** Something that one customer does, of which the other must notice nothing. */
export type Act = (customers: TwoCustomers) => Promise<void>;

const wicked = 'https://wicked.example.net';
const discoveryUrl = `${wicked}/.well-known/openid-configuration`;
const key = createTestKey('ES256');

const newClient = (index: number, more: object = {}) => ({
  client: {
    name: 'Billing',
    serviceTrunkGroup: foreignGroup,
    scopes: ['calls:view'],
    idempotencyKey: `hostile-${index}-12345`,
    ...more,
  },
});

/** Registers the provider of the hostile customer with these keys. */
async function register({ world, mallory }: TwoCustomers, keys: unknown): Promise<void> {
  world.documents.set(discoveryUrl, { issuer: wicked, jwks_uri: `${wicked}/keys` });
  world.documents.set(`${wicked}/keys`, keys);
  await mallory('registerProvider', { discoveryUrl });
}

function inspect({ mallory }: TwoCustomers): Promise<unknown> {
  return mallory('inspectProvider', { discoveryUrl });
}

function question(iss: string, now: number): object {
  const claims = { iss, aud: 'https://api.example.com', sub: 'a', iat: now, exp: now + 60 };
  return { question: { credential: signToken(key, claims) } };
}

/** Asks about tokens of an issuer, regardless of the answer. */
async function explainMany({ mallory, world }: TwoCustomers, iss: string): Promise<void> {
  const asked = Array.from({ length: 10 }, () =>
    mallory('explainRequest', question(iss, world.now)),
  );
  await Promise.allSettled(asked);
}

/** Forms of a name that are not the name. */
function formsOf(name: string): readonly string[] {
  return [
    `${name}/`,
    `${name}//`,
    name.toUpperCase(),
    name.replace('https', 'HTTPS'),
    `${name}:443`,
    `${name}/.`,
    `${name}/%2e`,
    `${name}.evil.example`,
    `${name}?a`,
    `${name}#a`,
  ];
}

export const hostileActs: Readonly<Record<string, Act>> = {
  'creates clients with the same names': async ({ mallory }) => {
    for (let index = 0; index < 30; index += 1) await mallory('createClient', newClient(index));
  },
  'creates API keys with the same names': async ({ mallory }) => {
    for (let index = 0; index < 30; index += 1) {
      const apiKey = { name: 'Ada', serviceTrunkGroup: foreignGroup, subnets: [] };
      await mallory('createApiKey', {
        apiKey: { ...apiKey, idempotencyKey: `hostile-${index}-12345` },
      });
    }
  },
  'repeats the idempotency keys of the other': async ({ mallory }) => {
    await mallory('createClient', newClient(0, { idempotencyKey: 'key-12345' }));
    const apiKey = { name: 'Bea', serviceTrunkGroup: foreignGroup, subnets: [] };
    await mallory('createApiKey', { apiKey: { ...apiKey, idempotencyKey: 'key-12345' } });
  },
  'calls every operation on what the other has': async ({ world, mallory }) => {
    for (const [name, { names, args }] of Object.entries(validCalls(world))) {
      const input = Object.fromEntries(names.map((one, index) => [one, args[index]]));
      await mallory(name as OperationName, input);
    }
  },
  'makes 100 changes at once': async ({ mallory }) => {
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => mallory('createClient', newClient(index))),
    );
  },
  'registers a provider that then hangs': async (customers) => {
    await register(customers, { keys: [key.jwk] });
    customers.fails(`${wicked}/keys`, 'timeout');
    await explainMany(customers, wicked);
  },
  'registers a provider that then redirects to the other’s': async (customers) => {
    await register(customers, { keys: [key.jwk] });
    customers.fails(`${wicked}/keys`, 'redirect');
    await explainMany(customers, wicked);
    await customers.mallory('inspectProviderKeys', { issuer: wicked });
  },
  'registers a provider that hangs, redirects or is too large at that moment': async (
    customers,
  ) => {
    for (const problem of ['timeout', 'redirect', 'too_large'] as const) {
      for (const url of [discoveryUrl, `${wicked}/keys`]) {
        customers.fails(url, problem);
        await Promise.all([register(customers, { keys: [key.jwk] }), inspect(customers)]);
      }
    }
  },
  'registers a provider whose issuer is the other’s': async (customers) => {
    const { world, mallory } = customers;
    for (const issuer of [world.issuer, world.ownIssuer].flatMap((one) => [one, ...formsOf(one)])) {
      world.documents.set(discoveryUrl, { issuer, jwks_uri: `${wicked}/keys` });
      world.documents.set(`${wicked}/keys`, { keys: [key.jwk] });
      await inspect(customers);
      await mallory('registerProvider', { discoveryUrl });
    }
  },
  'registers a provider with 143 kB of keys': async (customers) => {
    const big = { ...key.jwk, kid: 'k'.repeat(1400) };
    await register(customers, { keys: Array.from({ length: 100 }, () => big) });
    await inspect(customers);
  },
  'gets no answer, and repeats each change': async (customers) => {
    for (let index = 0; index < 10; index += 1) {
      for (let attempt = 0; attempt < 3; attempt += 1) {
        await customers.mallory('createClient', newClient(index));
        await register(customers, { keys: [key.jwk] });
      }
    }
  },
  'registers a provider that is gone then': async (customers) => {
    await register(customers, { keys: [key.jwk] });
    customers.world.documents.delete(`${wicked}/keys`);
    await explainMany(customers, wicked);
    await customers.mallory('inspectProviderKeys', { issuer: wicked });
  },
  'registers a provider whose keys change': async (customers) => {
    await register(customers, { keys: [key.jwk] });
    for (let index = 0; index < 5; index += 1) {
      const keys = [createTestKey('ES256').jwk];
      customers.world.documents.set(`${wicked}/keys`, { keys });
      await explainMany(customers, wicked);
    }
  },
  'registers a provider that then has 143 kB of keys': async (customers) => {
    await register(customers, { keys: [key.jwk] });
    const skipped = { kty: 'RSA', use: 'enc', kid: 'k'.repeat(1400) };
    const keys = [key.jwk, ...Array.from({ length: 99 }, () => skipped)];
    customers.world.documents.set(`${wicked}/keys`, { keys });
    await explainMany(customers, wicked);
    await customers.mallory('inspectProviderKeys', { issuer: wicked });
  },
  'registers the other’s issuer in other forms': async ({ world, mallory }) => {
    for (const issuer of [world.issuer, world.ownIssuer].flatMap(formsOf)) {
      const url = `${issuer}/.well-known/openid-configuration`;
      world.documents.set(url, { issuer, jwks_uri: `${wicked}/keys` });
      world.documents.set(`${wicked}/keys`, { keys: [key.jwk] });
      await mallory('inspectProvider', { discoveryUrl: url });
      await mallory('registerProvider', { discoveryUrl: url });
    }
  },
  'registers and deletes a provider again and again': async (customers) => {
    const { world, mallory } = customers;
    for (let index = 0; index < 20; index += 1) {
      await register(customers, { keys: [key.jwk] });
      const ifRegistration = world.providers.get(wicked)?.registrationId;
      await mallory('deleteProvider', { issuer: wicked, options: { ifRegistration } });
    }
  },
  'explains tokens that name the other’s issuers': async (customers) => {
    const { world } = customers;
    for (const issuer of [world.issuer, world.ownIssuer, 'https://unknown.example']) {
      await explainMany(customers, issuer);
    }
  },
  'searches and lists everything': async ({ mallory, world }) => {
    for (const filter of [{}, { text: 'a' }, { trunkGroup: 'tg-1001' }, { limit: 1 }]) {
      await mallory('listClients', { filter });
      await mallory('listApiKeys', { filter });
    }
    await mallory('listAudit', {});
    for (const id of [world.clientId, world.keyId, world.issuer]) {
      await mallory('listHistory', { id, filter: { since: '2027-01-01' } });
    }
  },
  'deletes all of its own': async ({ world, mallory }) => {
    for (let index = 0; index < 10; index += 1) await mallory('createClient', newClient(index));
    for (const { clientId, serviceTrunkGroup, version } of world.clients.values()) {
      if (serviceTrunkGroup !== foreignGroup) continue;
      await mallory('deleteClient', { clientId, options: { ifVersion: version } });
    }
  },
  'sends what is no request': async ({ mallory, send }) => {
    await send({});
    await send({ changes: [] });
    for (const input of [{ client: null }, { client: { name: 'a'.repeat(100_000) } }, {}]) {
      await mallory('createClient', input);
    }
  },
};

/** Ids that are, or look like, those of Grace, who has `repo:globex/`. Ada has `repo:acme/`. */
export const ids = [
  'repo:globex/app:ref:refs/heads/main',
  'repo:globex/app:ref:refs/heads/*',
  'repo:globex/app:ref:refs/heads/release/*',
  'repo:globex/app:ref:refs/heads/',
  'repo:globex/app',
  'repo:globex/',
  'repo:globex/*',
  'repo:globex',
  'repo:*',
  '*',
  'repo:globex-evil/app:ref:refs/heads/main',
  'repo:globex//app:ref:refs/heads/main',
  'repo:Globex/app:ref:refs/heads/main',
  'REPO:globex/app:ref:refs/heads/main',
  'repo:globex%2Fapp:ref:refs/heads/main',
  'repo%3Aglobex/app:ref:refs/heads/main',
  'repo:acme%2Fapp:ref:refs/heads/main',
  'repo:acme/../globex/app:ref:refs/heads/main',
  'repo:acme',
  'repo:acme-evil/app:ref:refs/heads/main',
  ' repo:globex/app:ref:refs/heads/main',
  'repo:globex/app:ref:refs/heads/main ',
  'repo:globex/app:ref:refs/heads/main\u0000',
  'repo:globex\u200b/app:ref:refs/heads/main',
  'repo:glοbex/app:ref:refs/heads/main',
] as const;

/** What a literal id inside one's own grant is: never one of Grace. */
export const ownLiteral = 'repo:acme/../globex/app:ref:refs/heads/main';
