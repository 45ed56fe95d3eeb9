import { describe, expect, it } from 'vitest';
import type { ReportedCredential } from '../../core/notices/daily-report.ts';
import { createPortalWorld, personOf } from './portal-world.ts';

const secret = (number: number, expiresAt: number): ReportedCredential => ({
  kind: 'client_secret',
  serviceTrunkGroup: `tg-${1001 + (number % 2)}`,
  clientId: `client_${number}`,
  clientName: `Client ${number}`,
  secretId: `secret_${number}`,
  secretName: number === 1 ? '=1+1' : undefined,
  expiresAt,
});

/** A portal with a report of what expires. @param trunkGroup of the viewer; the staff has all. */
async function createReported(count: number, trunkGroup?: string) {
  const world = await createPortalWorld();
  world.signInAs(personOf('viewer', trunkGroup === undefined ? undefined : [trunkGroup]));
  const { dailyReport, now } = world;
  const credentials = Array.from({ length: count }, (_, number) =>
    secret(number, now + 60 + number),
  );
  const stored = { slot: 'b', time: now, attempt: 1 } as const;
  const parts = await dailyReport.writeCredentials(stored, credentials);
  const { version = 0 } = (await dailyReport.readState()) ?? {};
  await dailyReport.writeState({
    version: version + 1,
    report: { ...stored, parts, count },
    changesUntil: {},
  });
  return world;
}

const namesIn = (text: string) => [...text.matchAll(/Client (\d+)<\/a>/g)].map(([, name]) => name);

describe('the list of what expires', () => {
  it('is over all trunk groups, by the end, with its time', async () => {
    const { get } = await createReported(109);
    const text = await (await get('/expiring')).text();
    expect(text).toContain('as of the daily run at 2027-01-15 08:00 UTC');
    expect(namesIn(text)).toEqual(Array.from({ length: 109 }, (_, number) => String(number)));
    expect(text).toMatch(/tg-1001[^]*tg-1002/);
  });

  it('has pages of 500', async () => {
    const { get } = await createReported(501);
    const text = await (await get('/expiring')).text();
    expect(namesIn(text)).toHaveLength(500);
    const [, next = ''] = /href="([^"]+)"[^>]*>(?:Next|More)/.exec(text) ?? [];
    expect(namesIn(await (await get(next.replaceAll('&amp;', '&'))).text())).toEqual(['500']);
  });

  it('has only what belongs to a person’s trunk groups', async () => {
    const { get } = await createReported(10, 'tg-1001');
    const text = await (await get('/expiring')).text();
    expect(namesIn(text)).toEqual(['0', '2', '4', '6', '8']);
    expect(text).not.toContain('tg-1002');
  });

  it('has no filter for a person of one trunk group, who has nothing to choose', async () => {
    const { get } = await createReported(10, 'tg-1001');
    expect(await (await get('/expiring')).text()).not.toContain('>Filter</button>');
    const staff = await createReported(10);
    expect(await (await staff.get('/expiring')).text()).toContain('>Filter</button>');
  });

  it('is narrowed to one trunk group', async () => {
    const { get } = await createReported(4);
    const text = await (await get('/expiring?trunkGroup=tg-1002')).text();
    expect(namesIn(text)).toEqual(['1', '3']);
  });

  it('is a file, in which no name is a formula', async () => {
    const { get } = await createReported(501);
    const answer = await get('/expiring/export');
    const lines = (await answer.text()).trimEnd().split('\r\n');
    expect(answer.headers.get('content-disposition')).toContain('expiring.csv');
    expect(lines).toHaveLength(502);
    expect(lines[2]).toBe(
      '"2027-01-15T08:01:01Z","client_secret","tg-1002","client_1","Client 1","secret_1","\'=1+1","","","",""',
    );
  });

  it('has API keys, which lead to their pages, and in the file their ids and names', async () => {
    const world = await createReported(1);
    const { dailyReport, keyId, now } = world;
    const stored = { slot: 'a', time: now, attempt: 2 } as const;
    const parts = await dailyReport.writeCredentials(stored, [
      {
        kind: 'api_key',
        serviceTrunkGroup: 'tg-1001',
        keyId,
        keyName: '=Ada',
        expiresAt: now + 60,
      },
      {
        kind: 'api_key',
        serviceTrunkGroup: 'tg-1001',
        keyId,
        keyName: 'Bea',
        valueId: 'value_1',
        lastUsedOn: '2027-01-14',
        expiresAt: now + 60,
      },
    ]);
    const { version = 0 } = (await dailyReport.readState()) ?? {};
    await dailyReport.writeState({
      version: version + 1,
      report: { ...stored, parts, count: 2 },
      changesUntil: {},
    });
    const page = await (await world.get('/expiring')).text();
    expect(page).toContain(`href="/api-keys/${keyId}">=Ada</a>`);
    expect(page.match(/API key, only its old value/g)).toHaveLength(1);
    expect(page).toMatch(/Yesterday|1 day ago/i);
    const [, ...lines] = (await (await world.get('/expiring/export')).text()).split('\r\n');
    expect(lines.filter(Boolean)).toEqual([
      `"2027-01-15T08:01:00Z","api_key","tg-1001","","","","","","${keyId}","'=Ada",""`,
      `"2027-01-15T08:01:00Z","api_key","tg-1001","","","","","2027-01-14","${keyId}","Bea","value_1"`,
    ]);
  });

  it('says that no daily run has been made', async () => {
    const world = await createPortalWorld();
    Object.assign(world.dailyReport, { readState: async () => undefined });
    const text = await (await world.get('/expiring')).text();
    expect(text).toContain('No daily run has been made yet');
    expect(text).toContain('href="/clients?order=expiry"');
    expect(text).not.toContain('as of the daily run');
  });

  it('says that nothing expires, and how many if it is one', async () => {
    const none = await (await (await createReported(0)).get('/expiring')).text();
    expect(none).toMatch(
      /The daily run at \d{4}-\d\d-\d\d \d\d:\d\d UTC found nothing that expires within 30 days/,
    );
    const one = await (await (await createReported(1)).get('/expiring')).text();
    expect(one).toContain('>1 secret or API key</p>');
  });

  const linkOf = (page: string, name: string) =>
    new RegExp(`<a href="([^"]+)">${name}`).exec(page)?.[1];

  it('is linked from the overview, whose secrets that expire soon lead to the clients as they are now', async () => {
    const { get, management, clientId, now } = await createReported(1);
    await management.createClientSecret(clientId, { expiresAt: now + 86_400 });
    const page = await (await get('/')).text();
    expect(linkOf(page, 'See all<span class="visually-hidden">: Secrets that expire')).toBe(
      '/clients?secrets=expires-soon&amp;order=expiry',
    );
    expect(await (await get('/clients?secrets=expires-soon&order=expiry')).text()).toContain(
      clientId,
    );
    expect(linkOf(page, 'Everything that expires within 30 days')).toBe('/expiring');
  });
});
