import { describe, expect, it } from 'vitest';
import { formatCsv } from '../../portal/html/csv.ts';
import { createPortalWorld, type PortalWorld } from './portal-world.ts';

const day = 86_400;

async function addClient(
  world: PortalWorld,
  name: string,
  days: number | undefined,
): Promise<string> {
  const { management } = world;
  const { client } = await management.createClient({
    name,
    serviceTrunkGroup: 'tg-1001',
    scopes: ['calls:view'],
  });
  const expiresAt = days === undefined ? undefined : world.now + days * day;
  await management.createClientSecret(client.clientId, { expiresAt });
  return client.clientId;
}

const namesIn = (text: string) =>
  [...text.matchAll(/class="row-link"[^>]*>([^<]+)</g)].map(([, name]) => name);

/** The stores give pages of one client each, in order of name. */
function onePerPage({ context }: PortalWorld): void {
  const { clients } = context;
  const readPage = clients.readPage.bind(clients);
  Object.assign(context.clients, {
    readPage: async (query: Parameters<typeof readPage>[0]) => {
      const { items } = await readPage({ ...query, limit: 500, after: undefined });
      const sorted = items.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const at = query.after === undefined ? 0 : Number(query.after);
      const next = at + 1 < sorted.length ? String(at + 1) : undefined;
      return { items: sorted.slice(at, at + 1), examined: 1, next };
    },
  });
}

const linkOf = (text: string, rel: string) =>
  new RegExp(`href="([^"]*)" rel="${rel}"`).exec(text)?.[1]?.replaceAll('&amp;', '&');

describe('the pages of a list', () => {
  it('lead to the next one and back again', async () => {
    const world = await createPortalWorld();
    for (const name of ['A', 'B', 'C']) await addClient(world, name, undefined);
    onePerPage(world);
    const seen: (string | undefined)[] = [];
    const follow = async (path: string, rel: string): Promise<string> => {
      const text = await (await world.get(path)).text();
      seen.push(namesIn(text)[0]);
      const link = linkOf(text, rel);
      return link === undefined ? text : follow(link, rel);
    };
    const last = await follow('/clients?enabled=yes', 'next');
    expect(last).toContain('Page 4: 1 found among 1 clients looked at. This is the last page.');
    const first = await follow(linkOf(last, 'prev') ?? '', 'prev');
    expect(seen).toEqual(['A', 'B', 'Billing', 'C', 'Billing', 'B', 'A']);
    expect(first).not.toContain('Previous page');
  });

  it('end with the total if it is known', async () => {
    const world = await createPortalWorld();
    await addClient(world, 'A', undefined);
    expect(await (await world.get('/clients')).text()).toContain('>2 clients</p>');
  });

  it('remember as many pages as an address can have', async () => {
    const world = await createPortalWorld();
    onePerPage(world);
    for (const name of ['A', 'B']) await addClient(world, name, undefined);
    const back = Array.from({ length: 1000 }, () => 'MQ').join('*');
    const text = await (await world.get(`/clients?cursor=MQ&page=1001&back=${back}`)).text();
    expect(linkOf(text, 'next')?.length).toBeLessThan(3500);
    expect(linkOf(text, 'prev')).toContain('cursor=MQ&page=1000&back=MQ*MQ');
  });
});

describe('a search of clients', () => {
  it('says that only the names of secrets are left', async () => {
    const world = await createPortalWorld();
    Object.assign(world.context.clients, {
      readPage: async () => ({ items: [], examined: 10_000, next: '[]', allNames: true }),
    });
    const text = await (await world.get('/clients?text=x')).text();
    expect(text).toContain('No client has this in its name or id');
    expect(text).toContain('The names of secrets were not searched.');
  });
});

describe('the file of a list', () => {
  it('has every page and the filter, with a line for each client', async () => {
    const world = await createPortalWorld();
    const id = await addClient(world, 'Dialer', 3);
    onePerPage(world);
    const response = await world.get('/clients/export');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="clients.csv"',
      'cache-control': 'no-store',
    });
    const lines = (await response.text()).split('\r\n');
    expect(lines[0]).toContain('"client_id","name","service_trunk_group","enabled"');
    expect(lines).toHaveLength(4);
    expect(lines.find((line) => line.includes(id))).toContain('"Dialer","tg-1001","yes"');
    const filtered = await (await world.get('/clients/export?text=dialer')).text();
    expect(filtered).not.toContain('Billing');
    const keys = await (await world.get('/api-keys/export')).text();
    expect(keys).toContain('"Ada"');
  });

  it('says that it is not complete', async () => {
    const world = await createPortalWorld();
    for (let index = 0; index < 25; index++) await addClient(world, `Client ${index}`, 5);
    onePerPage(world);
    const response = await world.get('/clients/export');
    expect(response.headers.get('content-disposition')).toContain('clients-incomplete.csv');
    expect(await response.text()).toContain('"NOT COMPLETE: there are more clients');
  });

  it.each([
    ['=HYPERLINK("https://evil.example")', `"'=HYPERLINK(""https://evil.example"")"`],
    ['+1+2', `"'+1+2"`],
    ['-2+3', `"'-2+3"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t=1"`],
    ['\r=1', `"'\r=1"`],
    ['  =1', `"'  =1"`],
    ['\uFF1D1', `"'\uFF1D1"`],
    ['|cmd', `"'|cmd"`],
    // A spreadsheet of another language takes a semicolon or a tab for the end of a cell.
    ['a;=1+1;b', `"a;'=1+1;b"`],
    ['a; @SUM(A1)', `"a;' @SUM(A1)"`],
    ['a\t-2+3', `"a\t'-2+3"`],
    ['a\n=1', `"a\n'=1"`],
    ['=1;+2', `"'=1;'+2"`],
    ['Ada; Ben', '"Ada; Ben"'],
    ['a, "b"\nc', '"a, ""b""\nc"'],
    ['tg-1', '"tg-1"'],
    ['2026-11-22T00:00:00Z', '"2026-11-22T00:00:00Z"'],
  ])('has %j as a text', (text, cell) => {
    expect(formatCsv(['name'], [[text]])).toBe(`\uFEFF"name"\r\n${cell}\r\n`);
  });

  it('has numbers as they are, also below zero', () => {
    expect(formatCsv(['n'], [[-1], [undefined]])).toBe('\uFEFF"n"\r\n"-1"\r\n""\r\n');
  });
});
