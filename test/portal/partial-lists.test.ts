import { describe, expect, it } from 'vitest';
import { createPortalWorld, type PortalWorld, personOf } from './portal-world.ts';

/** The stores stop after some items, as DynamoDB does, and found nothing. */
function stopReading({ context }: PortalWorld): void {
  const stopped = async () => ({ items: [], examined: 1000, next: 'client_x' });
  Object.assign(context.clients, { readPage: stopped });
  Object.assign(context.apiKeys, { readPage: stopped });
}

const people = [
  ['a person with every trunk group', personOf('administrator')],
  ['a person with one trunk group', personOf('manager', ['tg-1001'])],
] as const;

describe.each(people)('what was not read to its end, for %s', (_, person) => {
  it.each([
    ['/clients', 'No clients yet'],
    ['/api-keys', 'No API keys yet'],
    ['/clients?text=bill', 'No clients match'],
  ])('%s does not say that nothing is there', async (path, claim) => {
    const world = await createPortalWorld();
    world.signInAs(person);
    stopReading(world);
    const text = await (await world.get(path)).text();
    expect(text).not.toContain(claim);
    expect(text).toContain('Nothing found so far');
    expect(text).toContain('A page reads up to 1,000 ');
    expect(text).toContain('>Look further</a>');
  });

  it('the overview does not say that all is in order', async () => {
    const world = await createPortalWorld();
    world.signInAs(person);
    stopReading(world);
    const text = await (await world.get('/')).text();
    expect(text).not.toContain('Nothing needs attention');
    expect(text).toContain('<h1>Nothing found so far</h1>');
    expect(text.match(/>None so far</g)).toHaveLength(4);
    expect(text).toContain('Not everything was checked');
  });

  it('says so on the overview next to what was found', async () => {
    const world = await createPortalWorld();
    world.signInAs(person);
    stopReading(world);
    const key = await world.context.apiKeys.find(world.keyId);
    const found = { items: [key], examined: 1000, next: 'key_x' };
    Object.assign(world.context.apiKeys, { readPage: async () => found });
    const text = await (await world.get('/')).text();
    expect(text).toContain('<h1>Needs attention</h1>');
    expect(text).toContain('1 or more');
  });
});

it('tells a restricted person nothing about the number of others', async () => {
  const world = await createPortalWorld();
  world.signInAs(personOf('manager', ['tg-1001']));
  stopReading(world);
  for (const path of ['/', '/clients', '/clients?text=x', '/api-keys']) {
    expect([path, (await (await world.get(path)).text()).includes('1000')]).toEqual([path, false]);
  }
});

it('says that nothing is there if everything was read', async () => {
  const world = await createPortalWorld();
  world.signInAs(personOf('manager', ['tg-2002']));
  expect(await (await world.get('/clients')).text()).toContain('No clients yet');
  expect(await (await world.get('/')).text()).toContain('Nothing needs attention');
});

describe('a pasted id or name', () => {
  it.each([
    ['client id', ({ clientId }: PortalWorld) => `/clients?text=${clientId}`],
    ['key id', ({ keyId }: PortalWorld) => `/api-keys?text=${keyId}`],
  ])('is one read, if it is a %s', async (_, path) => {
    const world = await createPortalWorld();
    stopReading(world);
    const text = await (await world.get(path(world))).text();
    expect(text).toContain(path(world).startsWith('/clients') ? 'Billing' : 'Ada');
    expect(text).not.toContain('Look further');
  });
});
