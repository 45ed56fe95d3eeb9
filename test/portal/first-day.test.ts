import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parsePortalLook } from '../../contract/portal-look.ts';
import { formatDay } from '../../core/time.ts';
import { formatRelative } from '../../portal/html/time.ts';
import { createPortalWorld, type PortalWorld, personOf } from './portal-world.ts';

const read = (page: string) => page.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

async function open({ get }: PortalWorld, path: string): Promise<string> {
  return read(await (await get(path)).text());
}

describe('the first day of a customer', () => {
  it('is three steps, each ticked when it is done, and over with the first token', async () => {
    const world = await createPortalWorld();
    const { management, clients } = world;
    world.signInAs(personOf('manager', ['tg-9']));
    expect(await open(world, '/')).toMatch(
      /The first token To do Create a client : a program.* To do Give it a secret.* To do Get the first token/,
    );
    const { client } = await management.createClient({
      name: 'ERP',
      serviceTrunkGroup: 'tg-9',
      scopes: ['calls:view'],
    });
    expect(await open(world, '/')).toMatch(/Done Create a client: ERP .* To do Give it a secret/);
    await management.createClientSecret(client.clientId, {});
    const page = await (await world.get('/')).text();
    expect(page).toContain(`href="/clients/${client.clientId}#token"`);
    expect(read(page)).toMatch(
      /Done Create a client.* Done Give it a secret.* To do Get the first/,
    );
    const stored = clients.get(client.clientId);
    if (stored === undefined) throw new Error('it exists');
    const secrets = stored.secrets.map((one) => ({ ...one, lastUsedOn: formatDay(world.now) }));
    clients.set(client.clientId, { ...stored, secrets });
    expect(await open(world, '/')).not.toContain('The first token');
  });

  it('begins on the page of a client with a token, until one was issued', async () => {
    const world = await createPortalWorld();
    const order = async () => {
      const page = await (await world.get(`/clients/${world.clientId}`)).text();
      return [...page.matchAll(/<h2 id="([\w-]+)"/g)].map(([, id]) => id).slice(0, 3);
    };
    const stored = world.clients.get(world.clientId);
    if (stored === undefined) throw new Error('it exists');
    const use = (lastUsedOn: string | undefined) => {
      const secrets = stored.secrets.map((one) => ({ ...one, lastUsedOn }));
      world.clients.set(world.clientId, { ...stored, secrets });
    };
    use(undefined);
    expect(await order()).toEqual(['token', 'secrets', 'details']);
    use(formatDay(world.now));
    expect(await order()).toEqual(['secrets', 'details', 'token']);
  });

  it('says how much there is to those who may see all, and links to it', async () => {
    const world = await createPortalWorld();
    expect(await open(world, '/')).toMatch(/\d+ clients?\s?, \d+ API keys?/);
    expect(await (await world.get('/')).text()).toMatch(/<a href="\/clients">\d+ clients?<\/a>/);
    world.signInAs(personOf('manager', ['tg-9']));
    expect(await open(world, '/')).not.toMatch(/\d+ clients?\s?,/);
  });

  it('has what callers and APIs are configured with, to copy', async () => {
    const page = await (await (await createPortalWorld()).get('/')).text();
    const copied = [...page.matchAll(/data-copy="[^"]+">([^<]+)</g)].map(([, text]) => text);
    expect(copied).toEqual([
      'https://auth.example.com/api/v1/oauth/token',
      'https://auth.example.com',
      'https://auth.example.com/.well-known/jwks.json',
      'https://api.example.com',
    ]);
  });

  it('shows the end of an ARN in the corner', async () => {
    const world = await createPortalWorld();
    const name = 'arn:aws:sts::000000000000:assumed-role/Operators/alice';
    world.signInAs({ ...personOf('viewer'), name });
    const page = await (await world.get('/')).text();
    expect(page).toContain(`<p class="account-name" title="${name}">alice</p>`);
  });

  it('is not shown to who cannot create a client', async () => {
    const world = await createPortalWorld();
    world.signInAs(personOf('viewer', ['tg-9']));
    expect(await open(world, '/')).not.toContain('The first token');
  });

  it('says what is in order in whole sentences', async () => {
    const world = await createPortalWorld();
    const text = await open(world, '/');
    for (const sentence of [
      'No secret expires within 14 days',
      'Every secret was used in the last 90 days, or is disabled or newer',
      'No API key can be used from any address',
    ]) {
      expect(text).toContain(`In order ${sentence}`);
    }
  });

  it.each([
    ['http://localhost:8080', false],
    ['https://localhost:8080', false],
    ['https://localhost.example.com', true],
  ])('looks at keys without subnets, if %s is not on this machine', async (issuer, isChecked) => {
    const world = await createPortalWorld();
    Object.assign(world.context, { config: { ...world.context.config, issuer } });
    expect((await open(world, '/')).includes('can be used from any address')).toBe(isChecked);
  });
});

describe('the first call', () => {
  const look = {
    apiUrl: 'https://api.example.com/v1/messages',
    documentation: 'https://docs.example.com/apis',
  };

  it('has the address of the company’s API, and its documentation', async () => {
    const world = await createPortalWorld({ look });
    const page = await (await world.get(`/clients/${world.clientId}`)).text();
    expect(page).toContain(`| curl -i -H @- ${look.apiUrl}</code>`);
    expect(page).toContain(`<a href="${look.documentation}">The description of the API</a>`);
  });

  it('is one line after an API key was created, which does not contain the key', async () => {
    const world = await createPortalWorld({ look });
    const created = await world.post('/api-keys', {
      name: 'Ada',
      serviceTrunkGroup: 'tg-1001',
      enabled: 'on',
      sources: 'any',
      requestId: 'request-1',
    });
    const page = await created.text();
    const [, command = ''] = /<code data-copy="the command">([^<]*)</.exec(page) ?? [];
    expect(command).toBe(
      `read -rs CREDENTIAL; printf &#39;Authorization: Bearer %s&#39; &quot;$CREDENTIAL&quot; | curl -i -H @- ${look.apiUrl}`,
    );
  });

  it.each([
    ['http://api.example.com/', 'plain http'],
    ["https://api.example.com/';rm -rf", 'a quote'],
    ['https://api.example.com/?a=$(id)', 'a substitution'],
    ['https://api.example.com/?a&b', 'another command'],
    ['api.example.com', 'no URL'],
  ])('refuses the address %s: %s', (apiUrl) => {
    expect(() => parsePortalLook({ apiUrl })).toThrow(
      `look.apiUrl: received "${apiUrl}"; allowed: the address of an API method: an https URL of`,
    );
  });
});

describe('what one looks at instead of reading', () => {
  it('is a bar next to how much of a limit is used, with the same as text', async () => {
    const world = await createPortalWorld();
    await world.management.setTrunkGroupLimits('tg-1001', { maxClients: 4, maxApiKeys: 1 });
    const page = await (await world.get('/trunk-groups/tg-1001')).text();
    expect(read(page)).toMatch(/1 of 4 clients.*1 of 1 API keys/);
    expect(
      [...page.matchAll(/class="usage-used" width="(\d+)"/g)].map(([, share]) => share),
    ).toEqual(['25', '100']);
    expect(page.match(/<svg class="usage[^>]*aria-hidden="true"/g)).toHaveLength(2);
    world.signInAs(personOf('manager', ['tg-1001']));
    expect(await open(world, '/clients/new')).toContain('tg-1001 has 1 of 4 clients.');
  });

  it('is no filter that has one choice', async () => {
    const world = await createPortalWorld();
    const hasFilter = async (path: string) =>
      (await (await world.get(path)).text()).includes('name="trunkGroup"');
    for (const path of ['/clients', '/api-keys']) {
      world.signInAs(personOf('viewer', ['tg-1001']));
      expect([path, await hasFilter(path)]).toEqual([path, false]);
      // A bookmark with another group says why it is empty.
      expect([path, await hasFilter(`${path}?trunkGroup=tg-2002`)]).toEqual([path, true]);
      world.signInAs(personOf('viewer', ['tg-1001', 'tg-2002']));
      expect([path, await hasFilter(path)]).toEqual([path, true]);
    }
  });
});

it.each([
  [7 * 86_400, 'in 7 days'],
  [7 * 86_400 - 60, 'in 7 days'],
  [7 * 86_400 - 3601, 'in 6 days'],
  [86_400 - 1, 'in 1 day'],
  [3600 - 1, 'in 1 hour'],
  [90 * 60, 'in 1 hour'],
  [60, 'in 1 minute'],
  [-7 * 86_400, '7 days ago'],
  [0, 'just now'],
])('an end in %i seconds is %s', (seconds, text) => {
  expect(formatRelative(1_800_000_000 + seconds, 1_800_000_000)).toBe(text);
});

it('a history says in words which old secrets expire, and of a creation only what was chosen', async () => {
  const world = await createPortalWorld();
  const { management } = world;
  const { client } = await management.createClient({
    name: 'Dialer',
    serviceTrunkGroup: 'tg-1001',
    scopes: ['calls:view'],
  });
  await management.createClientSecret(client.clientId, { name: 'blue' });
  await management.rotateClientSecret(client.clientId, { overlap: 7 * 86_400 });
  const text = read(await open(world, `/clients/${client.clientId}/history`));
  expect(text).toContain('The old ones expire blue: 2027-01-22 08:00 UTC');
  expect(text).not.toContain('expires_others');
  expect(text).not.toContain('Tokens revoked that were issued before');
});

it('a page after the last match says that there is no other one', async () => {
  const world = await createPortalWorld();
  Object.assign(world.context.clients, { readPage: async () => ({ items: [], examined: 1 }) });
  const cursor = Buffer.from('[]').toString('base64url');
  const text = read(await open(world, `/clients?text=x&cursor=${cursor}&page=2`));
  expect(text).toContain('No other clients match');
});

it('a client has no second link with the name of the page in the menu', async () => {
  const world = await createPortalWorld();
  const text = await open(world, `/clients/${world.clientId}`);
  expect(text).not.toMatch(/class="button[^>]*>\s*Why refused\?/);
  expect(text).toContain('If it is refused');
});

it.each([
  ['a customer', ['tg-1001'], 'Platform staff'],
  ['the staff', undefined, 'arn:aws:iam::123456789012:user/ada'],
])('%s sees who changed a client as far as it concerns them', async (_, groups, actor) => {
  const world = await createPortalWorld();
  world.signInAs(personOf('manager', groups));
  const text = await open(world, `/clients/${world.clientId}/history`);
  expect(text).toContain(actor);
  expect(text.includes('123456789012')).toBe(groups === undefined);
});

it('a print does not move a long panel to the second page', () => {
  const css = readFileSync(new URL('../../portal/assets/portal.css', import.meta.url), 'utf8');
  const [, print = ''] = css.split('@media print');
  const [selectors = ''] = print.split('break-inside: avoid').slice(0, 1);
  expect(selectors.slice(selectors.lastIndexOf('}'))).not.toContain('.panel');
});
