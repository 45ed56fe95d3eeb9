import { describe, expect, it } from 'vitest';
import { createMemoryCredentialEnds } from '../support/memory-stores.ts';
import { createPortalWorld, personOf } from './portal-world.ts';

/** A portal with clients whose only secrets expire one after another, the last one first. */
async function createExpiring(count: number) {
  const world = await createPortalWorld();
  const { management, now, clients, apiKeys } = world;
  clients.clear();
  apiKeys.clear();
  for (let number = count - 1; number >= 0; number--) {
    const { client } = await management.createClient({
      name: `Client ${number}`,
      serviceTrunkGroup: `tg-${1001 + (number % 2)}`,
      scopes: ['calls:view'],
    });
    await management.createClientSecret(client.clientId, { expiresAt: now + 60 + number });
  }
  world.signInAs(personOf('viewer'));
  return world;
}

const namesIn = (text: string) => [...text.matchAll(/Client (\d+)<\/a>/g)].map(([, name]) => name);

describe('the list of what expires', () => {
  it('is over all trunk groups, by the end', async () => {
    const { get } = await createExpiring(12);
    const text = await (await get('/expiring')).text();
    expect(namesIn(text)).toEqual(Array.from({ length: 12 }, (_, number) => String(number)));
    expect(text).not.toContain('were read');
  });

  it('is narrowed to one trunk group', async () => {
    const { get } = await createExpiring(4);
    expect(namesIn(await (await get('/expiring?trunkGroup=tg-1002')).text())).toEqual(['1', '3']);
  });

  it('says where it stopped, and goes on there', async () => {
    const { get, context, clients, apiKeys } = await createExpiring(4);
    Object.assign(context.credentialEnds, createMemoryCredentialEnds(clients, apiKeys, 3));
    const text = await (await get('/expiring')).text();
    expect(namesIn(text)).toEqual(['1', '2', '3']);
    expect(text).toContain('Not all secrets or API keys were read.');
    const [, next = ''] = /href="([^"]+)"[^>]*>(?:Next|More|Look)/.exec(text) ?? [];
    const further = await (await get(next.replaceAll('&amp;', '&'))).text();
    expect(namesIn(further)).toEqual(['0']);
    const file = await (await get('/expiring/export')).text();
    expect([...file.matchAll(/Client (\d)/g)].map(([, name]) => name)).toEqual([
      '0',
      '1',
      '2',
      '3',
    ]);
  });

  it('is a file of secrets and API keys, in which no name is a formula', async () => {
    const world = await createExpiring(1);
    world.signInAs(personOf('administrator'));
    const { management, now, clients } = world;
    const [client] = clients.values();
    const { key } = await management.createApiKey({
      name: '=Ada',
      serviceTrunkGroup: 'tg-1001',
      expiresAt: now + 86_400,
    });
    await management.rotateApiKey(key.keyId, { overlap: 3600 });
    const page = await (await world.get('/expiring')).text();
    expect(page).toContain(`href="/api-keys/${key.keyId}">=Ada</a>`);
    expect(page.match(/API key, only its old value/g)).toHaveLength(1);
    const [, ...lines] = (await (await world.get('/expiring/export')).text()).split('\r\n');
    const [secretId] = client?.secrets.map((secret) => secret.secretId) ?? [];
    expect(lines.filter(Boolean)).toEqual([
      `"2027-01-15T08:01:00Z","client_secret","tg-1001","${client?.clientId}","Client 0","${secretId}","","",""`,
      `"2027-01-15T09:00:00Z","api_key","tg-1001","","","","${key.keyId}","'=Ada","${key.keyId}"`,
      `"2027-01-16T08:00:00Z","api_key","tg-1001","","","","${key.keyId}","'=Ada",""`,
    ]);
  });

  it('says that nothing expires', async () => {
    const none = await (await (await createExpiring(0)).get('/expiring')).text();
    expect(none).toContain('Nothing expires within 30 days');
  });
});

describe('the overview of more clients than one read has', () => {
  it('has every secret that expires soon, not only those that were read', async () => {
    const world = await createExpiring(3);
    const { context } = world;
    Object.assign(context.clients, {
      readPage: async () => ({ items: [], examined: 1000, next: 'client_x' }),
    });
    const text = (await (await world.get('/')).text()).replaceAll(/<[^>]+>|\s+/g, ' ');
    expect(text).toMatch(/Secrets that expire within 14 days +3 .*Client 0 .*Client 1 .*Client 2 /);
  });
});
