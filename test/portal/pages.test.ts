import { afterAll, describe, expect, it } from 'vitest';
import { AwsCallerError } from '../../adapters/management.ts';
import { ServiceUnavailableError } from '../../core/errors.ts';
import { routes } from '../../portal/routes.ts';
import { figure } from '../support/figure.ts';
import { createPortalWorld, formOf, type PortalWorld, pathOf, queryOf } from './portal-world.ts';

const gets = routes.filter(({ method }) => method === 'GET').map(({ path }) => path);
/** A file is no page. */
const pages = gets.filter((path) => !path.endsWith('/export'));
const posts = routes.filter(({ method }) => method === 'POST').map(({ path }) => path);

const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>&amp;\${7*7}`;

/** Everything that a person types, filled with markup. */
function makeHostile(world: PortalWorld): void {
  const { clients, apiKeys, providers, audit } = world;
  for (const client of clients.values()) {
    Object.assign(client, {
      name: hostile,
      serviceTrunkGroup: hostile,
      audiences: [hostile],
      scopes: [hostile],
      secrets: client.secrets.map((secret) => ({ ...secret, name: hostile, lastUsedOn: hostile })),
    });
  }
  for (const key of apiKeys.values()) {
    Object.assign(key, {
      name: hostile,
      serviceTrunkGroup: hostile,
      subnets: key.subnets.map((subnet) => ({ ...subnet, name: hostile })),
    });
  }
  for (const provider of providers.values()) {
    Object.assign(provider, { jwksUri: hostile, allowedAlgorithms: [hostile] });
  }
  for (const record of audit) {
    Object.assign(record, {
      actor: hostile,
      action: hostile,
      subject: hostile,
      after: { [hostile]: hostile },
    });
  }
}

/** Markup of the portal has none of these; a value that was not escaped would. */
const injected = /<script>|<img src=x|onerror=alert\(2\)>|"'>/;

/** Responses to requests whose every value is markup, and how many of them hold it as markup. */
const hostileNames = { responses: 0, injected: 0 };
afterAll(() => figure('hostile names', hostileNames));

async function expectEscaped(response: Response): Promise<void> {
  const isInjected = injected.test(await response.text());
  hostileNames.responses += 1;
  hostileNames.injected += isInjected ? 1 : 0;
  expect(isInjected).toBe(false);
}

function expectSound(html: string): void {
  expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
  expect(html.match(/<h1>/g)).toHaveLength(1);
  expect(html).toMatch(/<title>[^<]+<\/title>/);
  expect(html).not.toMatch(/ style=| on[a-z]+="|javascript:|<script(?! src="\/assets\/)/);
  for (const [, attributes = ''] of html.matchAll(/<(?:input|select|textarea)\b([^>]*)>/g)) {
    if (attributes.includes('type="hidden"')) continue;
    const id = /\bid="([^"]+)"/.exec(attributes)?.[1];
    const isLabelled = attributes.includes('aria-label=') || html.includes(`<label for="${id}"`);
    expect([attributes, isLabelled]).toEqual([attributes, true]);
  }
  const ids = [...html.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
}

/** Every store fails as a whole. */
function breakStores(
  { context }: PortalWorld,
  createError: () => Error,
  stores: readonly object[] = [
    context.clients,
    context.apiKeys,
    context.identityProviders,
    context.signingKeys,
    context.auditPages,
    context.trunkGroupLimits,
    context.subjectGrants,
    context.issuerGrants,
  ],
): void {
  const fail = async () => {
    throw createError();
  };
  const failToList = () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) });
  const lists = ['listClients', 'listApiKeys', 'listIdentityProviders'];
  for (const store of stores) {
    for (const name of Object.keys(store)) {
      Object.assign(store, { [name]: lists.includes(name) ? failToList : fail });
    }
  }
}

describe.each(pages)('GET %s', (path) => {
  it('is a page with a title, a heading, labels and no inline script or style', async () => {
    const world = await createPortalWorld();
    const response = await world.get(pathOf(world, path) + queryOf(world, path));
    expect(response.status).toBe(200);
    expectSound(await response.text());
    expect(world.faults).toEqual([]);
  });

  it('escapes names that are markup', async () => {
    const world = await createPortalWorld();
    makeHostile(world);
    const response = await world.get(
      `${pathOf(world, path)}${queryOf(world, path) || `?text=${encodeURIComponent(hostile)}&clientId=${encodeURIComponent(hostile)}&day=${encodeURIComponent(hostile)}&done=${encodeURIComponent(hostile)}`}`,
    );
    await expectEscaped(response);
    expect(world.faults).toEqual([]);
  });

  it('says so if DynamoDB does not answer, with a way to try again', async () => {
    const world = await createPortalWorld();
    const query =
      queryOf(world, path) || (path === '/explain' ? `?clientId=${world.clientId}` : '');
    breakStores(world, () => new ServiceUnavailableError('DynamoDB', 'could not read: timeout'));
    const response = await world.get(pathOf(world, path) + query);
    expect(response.status).toBe(503);
    const text = await response.text();
    expectSound(text);
    expect(text).toContain('The database does not answer');
    expect(text).toContain('>Try again</a>');
  });
});

describe.each(posts)('POST %s', (path) => {
  it('escapes what is typed, and what is stored', async () => {
    const world = await createPortalWorld();
    makeHostile(world);
    const names = [
      'name',
      'serviceTrunkGroup',
      'tokenLifetime',
      'scopes',
      'audiences',
      'provider',
      'externalClientId',
      'address',
      'netmask',
      'expiry',
      'expiryDate',
      'overlap',
      'overlapOther',
      'requestId',
      'credential',
      'sourceAddress',
      'discoveryUrl',
      'clientIdClaim',
      'audienceFrom',
      'rows',
      'cursor',
      'deleted',
      'subnets[0].name',
      'subnets[0].address',
      'subnets[0].netmask',
    ];
    const form = Object.fromEntries(names.map((name) => [name, hostile]));
    const response = await world.post(pathOf(world, path), {
      ...form,
      ifVersion: '9',
      issuer: world.issuer,
      rows: '1',
    });
    await expectEscaped(response);
    expect(world.faults).toEqual([]);
  });

  it('keeps what was typed if DynamoDB does not answer, and can be sent again', async () => {
    const world = await createPortalWorld();
    breakStores(world, () => new ServiceUnavailableError('DynamoDB', 'could not read: timeout'));
    const typed = {
      name: 'A name that took long',
      serviceTrunkGroup: 'tg-1',
      scopes: 'calls:view',
      tokenLifetime: '1h',
      overlap: '1d',
      address: '10.0.0.0/8',
      credential: 'ak_secret',
      requestId: 'request-1',
    };
    const response = await world.post(pathOf(world, path), { ...formOf(world), ...typed });
    const text = await response.text();
    expect(text).not.toContain('ak_secret');
    if (path === '/explain/credential') return;
    expect(response.status).toBe(503);
    expect(text).toContain('value="A name that took long"');
    expect(text).toContain('value="request-1"');
    expect(text).toContain('type="submit">Try again</button>');
  });
});

describe('an AWS identity with fewer permissions', () => {
  it('sees what it may see', async () => {
    const world = await createPortalWorld();
    breakStores(world, () => new AwsCallerError('access_denied', 'AccessDeniedException', 'no'), [
      world.context.apiKeys,
      world.context.identityProviders,
    ]);
    const overview = await (await world.get('/')).text();
    expect(overview).toContain('AWS does not let you look at API keys');
    expect((await world.get('/clients/new')).status).toBe(200);
    const keys = await world.get('/api-keys');
    expect(keys.status).toBe(403);
    expect(await keys.text()).toContain('AWS does not allow this');
  });
});
