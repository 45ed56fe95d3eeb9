import { describe, expect, it } from 'vitest';
import { bindManagement } from '../../adapters/management.ts';
import { UnavailableError } from '../../core/errors.ts';
import { createProvider } from '../../lab/support/verifier-world.ts';
import { readCredential } from '../../portal/forms/credential.ts';
import { createTestManagement, testConfig } from '../support/management.ts';
import { createPortalWorld, type PortalWorld } from './portal-world.ts';

/** Text as a person reads it, without the markup. */
const read = (page: string) => page.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

async function open({ get }: PortalWorld, path: string): Promise<string> {
  return read(await (await get(path)).text());
}

const titleOf = (page: string) => /<h1>([^<]+)<\/h1>/.exec(page)?.[1];

/** The first read finds none of the provider's clients, as in a table of more than 1,000. */
function hideBehindFirstRead({ context }: PortalWorld): void {
  const clients = { ...context.clients };
  Object.assign(context.clients, {
    readPage: async (query: Parameters<typeof clients.readPage>[0]) =>
      query.after === undefined
        ? { items: [], examined: 1000, next: 'client_0000000000000000000000' }
        : clients.readPage({ ...query, after: undefined }),
  });
}

async function createProviderClient(
  { management, issuer }: PortalWorld,
  serviceTrunkGroup: string,
) {
  const { client } = await management.createClient({
    name: `CI of ${serviceTrunkGroup}`,
    serviceTrunkGroup,
    scopes: ['calls:view'],
    provider: issuer,
    externalClientId: serviceTrunkGroup,
  });
  return client;
}

describe('a provider whose clients are not among the first that were read', () => {
  const pathOf = ({ issuer }: PortalWorld, part: string) =>
    `/identity-providers/${part}?issuer=${encodeURIComponent(issuer)}`;

  it('does not say that it has no clients', async () => {
    const world = await createPortalWorld();
    await createProviderClient(world, 'tg-1001');
    hideBehindFirstRead(world);
    const text = await open(world, pathOf(world, 'show'));
    expect(text).toContain('None among the first 1000 clients.');
    expect(text).not.toContain('No clients yet');
    expect(text).not.toContain('every token of the provider is refused');
  });

  it('names the customers whose clients are deleted with it, and how many each has', async () => {
    const world = await createPortalWorld();
    for (const group of ['tg-1001', 'tg-2002']) await createProviderClient(world, group);
    const text = await open(world, pathOf(world, 'delete'));
    expect(text).toContain('The clients under it are deleted with it: 2.');
    expect(text).toContain('Their trunk groups: tg-1001 (1), tg-2002 (1).');
    expect(text).not.toContain('It has no clients');
  });

  it('says that there may be more if not all were read', async () => {
    const world = await createPortalWorld();
    Object.assign(world.context.clients, {
      readPage: async () => ({ items: [], examined: 1000, next: 'client_x' }),
    });
    const text = await open(world, pathOf(world, 'delete'));
    expect(text).toContain('none among the first 1000');
    expect(text).toContain('Delete provider and its clients Cancel');
    // The provider is deleted after its last client, which can be minutes later. It is stopped first.
    expect(text).toContain(
      'Every token of the provider is refused within seconds. Its clients are then deleted, 20 at a time',
    );
    expect(text).toContain('Not all clients were read: there may be more, of others too.');
  });
});

describe('a client under a provider', () => {
  const form = {
    name: 'CI',
    serviceTrunkGroup: 'tg-1001',
    scopes: 'calls:view',
    externalClientId: 'ci',
    requestId: 'request-1',
  };

  it('is not told to get a secret when it was created', async () => {
    const world = await createPortalWorld();
    const { post, issuer } = world;
    const created = await post('/clients', { ...form, provider: issuer });
    const text = await open(world, created.headers.get('location') ?? '');
    expect(text).toContain('The client was created. It authenticates at its provider.');
    expect(text).not.toContain('Now give it a secret');
  });

  it('shows no token lifetime, and its forms have no field for it', async () => {
    const world = await createPortalWorld();
    const { clientId } = await createProviderClient(world, 'tg-1001');
    expect(await open(world, `/clients/${clientId}`)).toContain(
      'Token lifetime Its provider sets it',
    );
    for (const path of [
      `/clients/${clientId}/edit`,
      `/clients/new?provider=${world.issuer}&trunkGroup=tg-1001`,
    ]) {
      const page = await (await world.get(path)).text();
      expect(page).toContain('name="name"');
      expect(page).not.toContain('name="tokenLifetime"');
    }
  });

  it('shows and changes the lifetime of a token for its assertion, if this service takes one', async () => {
    const world = await createPortalWorld();
    const federatedClients = { maxAge: 3600, ownProviders: false };
    Object.assign(world.context, { config: { ...world.context.config, federatedClients } });
    const { clientId, version } = await createProviderClient(world, 'tg-1001');
    const sent = { name: 'CI', scopes: 'calls:view', tokenLifetime: '15m' };
    const changes = { ...sent, ifVersion: String(version) };
    expect((await world.post(`/clients/${clientId}`, changes)).status).toBe(303);
    expect(await open(world, `/clients/${clientId}`)).toContain(
      'Token lifetime 15 minutes, of a token that it gets here. Its provider sets that of its own tokens.',
    );
    const edit = await open(world, `/clients/${clientId}/edit`);
    expect(edit).toContain('Of a token that the client gets here.');
    const fields = { ...form, ...sent, provider: world.issuer, externalClientId: 'other' };
    const created = await world.post('/clients', fields);
    expect(await open(world, created.headers.get('location') ?? '')).toContain('15 minutes');
  });

  it('is stopped in words that are true of it', async () => {
    const world = await createPortalWorld();
    const { clientId } = await createProviderClient(world, 'tg-1001');
    const text = await open(world, `/clients/${clientId}`);
    expect(text).toContain(
      `Tokens of ${world.issuer} for this client are refused, at once. It can be enabled again.`,
    );
    expect(text).toContain('The client is removed for good.');
    expect(text).not.toContain('at most 1 hour');
    expect(text).not.toContain('its secrets');
  });

  it('has tokens of this service, if it accepts assertions, that outlive the client', async () => {
    const federatedClients = { maxAge: 3600, ownProviders: false };
    const test = createTestManagement({ config: { ...testConfig, federatedClients } });
    const provider = createProvider({ clientIdClaim: 'sub' });
    test.providers.set(provider.issuer, provider);
    const management = bindManagement(test.context);
    const world = { ...(await createPortalWorld({ management })), ...provider, management };
    const { clientId } = await createProviderClient(world, 'tg-1001');
    const issuer = encodeURIComponent(provider.issuer);
    for (const path of [
      `/clients/${clientId}/delete`,
      `/clients/${clientId}/revoke-tokens`,
      `/identity-providers/delete?issuer=${issuer}`,
    ]) {
      expect(await open(world, path), path).toMatch(/(?:work|accept them) until they expire, /);
    }
  });

  it('is renamed without a token lifetime', async () => {
    const world = await createPortalWorld();
    const { clientId, version, tokenLifetime } = await createProviderClient(world, 'tg-1001');
    const changes = { name: 'Renamed', scopes: 'calls:view', ifVersion: String(version) };
    expect((await world.post(`/clients/${clientId}`, changes)).status).toBe(303);
    const client = await world.management.findClient(clientId);
    expect([client.name, client.tokenLifetime]).toEqual(['Renamed', tokenLifetime]);
  });

  it('has its fields in a new form only under a provider', async () => {
    const { get, post, issuer } = await createPortalWorld();
    const page = await (await get('/clients/new?trunkGroup=tg-1001')).text();
    expect(page).toContain('name="tokenLifetime"');
    for (const field of ['externalClientId', 'requiredClaims', 'allowUserTokens']) {
      expect(page).not.toContain(`name="${field}"`);
    }
    const chosen = await post('/clients', { ...form, name: '', provider: issuer, choose: '1' });
    const text = await chosen.text();
    expect([chosen.status, text.includes('There is a problem')]).toEqual([200, false]);
    expect(text).toContain('name="externalClientId"');
    expect(text).toContain('name="requestId" value="request-1"');
  });
});

describe('titles', () => {
  it('of a form and of what it created are different', async () => {
    const { get, post, clientId } = await createPortalWorld();
    const secrets = `/clients/${clientId}/secrets`;
    const form = await (await get(`${secrets}/new`)).text();
    const created = await (await post(secrets, { requestId: 'request-1' })).text();
    const again = await (await post(secrets, { requestId: 'request-1' })).text();
    expect([form, created, again].map(titleOf)).toEqual([
      'New secret',
      'The secret was created',
      'A secret that was created before',
    ]);
    const key = { name: 'Grace', serviceTrunkGroup: 'tg-1001', rows: '0', requestId: 'request-1' };
    const answers = [await post('/api-keys', key), await post('/api-keys', key)];
    expect(await Promise.all(answers.map(async (one) => titleOf(await one.text())))).toEqual([
      'The API key was created',
      'An API key that was created before',
    ]);
  });
});

describe('a pasted credential', () => {
  it.each([
    ['"ak_abc"', 'ak_abc', 'Quotes around it were left out.'],
    ['eyJ.\n  eyK.\r\n sig', 'eyJ.eyK.sig', 'Line breaks in it were left out.'],
    [
      "'Bearer ak_abc',",
      'ak_abc',
      'Quotes around it were left out. “Bearer ” in front of it was left out. It belongs to the header, not to the credential.',
    ],
    [
      'Authorization: DPoP eyJ.eyK.sig',
      'eyJ.eyK.sig',
      '“DPoP ” in front of it was left out. It belongs to the header, not to the credential.',
    ],
    ['ak_abc', 'ak_abc', undefined],
  ])('%j is read without what does not belong to it', (text, credential, note) => {
    expect(readCredential(text)).toEqual(
      note === undefined ? { credential } : { credential, note },
    );
  });
});

describe('a quota', () => {
  it('is shown before the form, and instead of it if it is used up', async () => {
    const world = await createPortalWorld();
    const { management, clientId } = world;
    const manager = { name: 'Ada', role: 'manager', trunkGroups: ['tg-1001'] } as const;
    await management.setTrunkGroupLimits('tg-1001', { maxClients: 3, maxApiKeys: 1, ifVersion: 0 });
    world.signInAs(manager);
    expect(await open(world, '/clients/new')).toContain('1 of 3 clients');
    const keys = await open(world, '/api-keys/new');
    expect(keys).toContain('tg-1001 has 1 of 1 API keys');
    expect(keys).not.toContain('Create API key');
    await management.deleteClient(clientId);
    expect(await open(world, '/clients/new')).toContain('0 of 3 clients');
  });
});

describe('the audit', () => {
  it('says what changed in words and units', async () => {
    const world = await createPortalWorld();
    const { management, clientId } = world;
    await management.updateClient(clientId, { tokenLifetime: 1800 });
    const secret = await management.createClientSecret(clientId, { expiresAt: world.now + 86_400 });
    for (const path of ['/audit', `/clients/${clientId}/history`]) {
      const text = await open(world, path);
      expect(text).toContain('Token lifetime 1 hour 30 minutes');
      expect(text).toMatch(/Expires \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
      expect(text).toContain(secret.secret.secretId);
      expect(text).not.toContain('token_lifetime');
    }
  });

  it('finds who deleted something last week in one search', async () => {
    const world = await createPortalWorld();
    await world.management.deleteClient(world.clientId);
    const day = 86_400;
    world.now += 6 * day;
    const found = await open(world, '/audit?text=client.delete');
    expect(found).toContain('Deleted a client');
    expect(found).toContain('Search from');
    world.now += day;
    const later = await open(world, '/audit?text=client.delete');
    expect(later).toMatch(/No change from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d matches/);
    // Without a text, a page is one day.
    expect(await open(world, '/audit')).toContain('Nothing was changed on this day');
  });
});

describe('a client’s page', () => {
  it('begins with the last use and the next expiry', async () => {
    const world = await createPortalWorld();
    const { management, clientId, now } = world;
    expect(await open(world, `/clients/${clientId}`)).toContain(
      'Last used never . Next expiry: none .',
    );
    await management.createClientSecret(clientId, { expiresAt: now + 12 * 86_400 });
    expect(await open(world, `/clients/${clientId}`)).toContain('Next expiry: in 12 days');
  });
});

it.each([
  ['is calm if only the new secret is used', '2026-01-01', 0, true],
  ['is urgent if the new secret was never used', '2026-01-01', undefined, false],
  ['is urgent if the old secret is still used', 0, 0, false],
  ['is urgent if the old secret was used yesterday', -1, 0, false],
])('the end of a secret that was rotated %s', async (_name, old, next, isCalm) => {
  const world = await createPortalWorld();
  const { management, clientId, clients } = world;
  const { secrets: before } = await management.findClient(clientId);
  for (const { secretId } of before.slice(1))
    await management.deleteClientSecret(clientId, secretId);
  world.now += 60;
  await management.rotateClientSecret(clientId, { overlap: 7 * 86_400 });
  const day = (use: string | number | undefined) =>
    typeof use === 'number'
      ? new Date((world.now + use * 86_400) * 1000).toISOString().slice(0, 10)
      : use;
  const client = clients.get(clientId);
  if (client === undefined) throw new Error('unreachable');
  const secrets = client.secrets.map((one, index) => ({
    ...one,
    lastUsedOn: day(index === client.secrets.length - 1 ? next : old),
  }));
  clients.set(clientId, { ...client, secrets });
  const page = await open(world, `/clients/${clientId}`);
  expect([page.includes('Replaced'), page.includes('Expires soon')]).toEqual([isCalm, !isCalm]);
  const overview = await open(world, '/');
  expect(/Secrets that expire within \d+ days 1 See all/.test(overview)).toBe(!isCalm);
});

it('“Why refused?” begins with the step that refuses, and leads to the client', async () => {
  const world = await createPortalWorld();
  await world.management.setClientEnabled(world.clientId, false);
  const page = await (await world.get(`/explain?clientId=${world.clientId}`)).text();
  const badges = [...page.matchAll(/>(Passed|Refused)</g)].map(([, word]) => word);
  expect(badges[0]).toBe('Refused');
  expect(badges.filter((word) => word === 'Refused')).toHaveLength(1);
  expect(page).toContain(`<a href="/clients/${world.clientId}">Open the client to change it</a>`);
});

describe('how long a token that is out can work', () => {
  const paths = ({ clientId }: PortalWorld) => [
    `/clients/${clientId}`,
    `/clients/${clientId}/delete`,
    `/clients/${clientId}/revoke-tokens`,
  ];

  async function lower(world: PortalWorld, from: number): Promise<void> {
    await world.management.updateClient(world.clientId, { tokenLifetime: from });
    world.now += 2 * 86_400;
    await world.management.updateClient(world.clientId, { tokenLifetime: 60 });
  }

  async function expectMost(world: PortalWorld, most: string): Promise<void> {
    for (const path of paths(world)) {
      expect(await open(world, path)).toContain(`at most ${most}`);
    }
  }

  it('is not the lifetime that was just lowered, but the one before in the audit', async () => {
    const world = await createPortalWorld();
    await lower(world, 7200);
    await expectMost(world, '2 hours');
    // What is changed later does not hide it.
    world.now += 3600;
    await world.management.setClientEnabled(world.clientId, false);
    await world.management.setClientEnabled(world.clientId, true);
    await expectMost(world, '2 hours');
    world.now += 900;
    await expectMost(world, '50 minutes');
    world.now += 3600;
    await expectMost(world, '1 minute');
  });

  it.each(['one region', 'every region'])(
    'is the longest that the deployment allows if the audit of %s cannot be read',
    async (which) => {
      const world = await createPortalWorld();
      await lower(world, 7200);
      const { auditHistory } = world.context;
      const fails = async () => {
        throw new UnavailableError('the audit does not answer');
      };
      Object.assign(world.context, {
        auditHistory: {
          regions: [...auditHistory.regions, 'pit'],
          readHistory: (...[region, ...rest]: Parameters<typeof auditHistory.readHistory>) =>
            which === 'one region' && region !== 'pit'
              ? auditHistory.readHistory(region, ...rest)
              : fails(),
        },
      });
      await expectMost(world, '1 day');
    },
  );

  it('is the lifetime of a client that was never changed', async () => {
    const world = await createPortalWorld();
    for (const path of paths(world)) expect(await open(world, path)).toContain('at most 1 hour');
  });
});
