import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputError } from '../../../core/errors.ts';
import { createTestManagement } from '../../support/management.ts';
import {
  addSubnet,
  createApiKey,
  createClient,
  createClientSecret,
  rotateClientSecret,
  updateApiKey,
  updateClient,
  updateClientSecret,
} from '../../support/operations.ts';

const newClient = { serviceTrunkGroup: 'tg', scopes: ['calls:view'] };

async function createWorld() {
  const { context, clients, apiKeys } = createTestManagement();
  const { client } = await createClient(context, { ...newClient, name: 'A' });
  const { secret } = await createClientSecret(context, client.clientId, { name: 'A' });
  const { key } = await createApiKey(context, { name: 'A', serviceTrunkGroup: 'tg' });
  const { clientId } = client;
  const { secretId } = secret;
  const { keyId } = key;
  const subnet = { address: '203.0.113.0/24' };
  /** Each way to give a name, and the field that it is in. */
  const ways: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
    createClient: (name) => createClient(context, { ...newClient, name }),
    updateClient: (name) => updateClient(context, clientId, { name }),
    createClientSecret: (name) => createClientSecret(context, clientId, { name }),
    rotateClientSecret: (name) => rotateClientSecret(context, clientId, { name, overlap: 0 }),
    updateClientSecret: (name) => updateClientSecret(context, clientId, secretId, { name }),
    createApiKey: (name) => createApiKey(context, { name, serviceTrunkGroup: 'tg' }),
    updateApiKey: (name) => updateApiKey(context, keyId, { name }),
    addSubnet: (name) => addSubnet(context, keyId, { ...subnet, name }),
  };
  /** Names as an earlier release stored them. */
  const storeNames = (name: string) => {
    const stored = clients.get(clientId);
    if (stored === undefined) throw new Error('no client');
    const secrets = stored.secrets.map((one) => ({ ...one, name }));
    clients.set(clientId, { ...stored, name, secrets });
    apiKeys.set(keyId, { ...key, name });
  };
  return { context, clients, apiKeys, clientId, secretId, keyId, ways, storeNames };
}

const ways = Object.keys((await createWorld()).ways);

describe('a new name', () => {
  const invisible = [
    ['U+200B', 'Bill\u200Bing'],
    ['U+2060', 'Bill\u2060ing'],
    ['U+FEFF', 'Bill\uFEFFing'],
    ['U+200B', '\u200BBilling'],
    ['U+2060', 'Billing\u2060'],
  ] as const;

  it.each(ways.flatMap((way) => invisible.map(([code, name]) => [way, code, name] as const)))(
    'of %s has no %s: %j',
    async (way, code, name) => {
      const world = await createWorld();
      const before = structuredClone([...world.clients, ...world.apiKeys]);
      const refused = world.ways[way]?.(name);
      await expect(refused).rejects.toThrow(InputError);
      await expect(refused).rejects.toThrow(
        `name: received the invisible character ${code}; allowed: 1 to 128 printable characters, none of U+200B, U+2060, U+FEFF`,
      );
      expect([...world.clients, ...world.apiKeys]).toEqual(before);
    },
  );

  it('of the subnet of a new API key has none', async () => {
    const { context } = await createWorld();
    const subnets = [{ name: 'Bill\u200Bing', address: '203.0.113.0/24' }];
    await expect(
      createApiKey(context, { name: 'A', serviceTrunkGroup: 'tg', subnets }),
    ).rejects.toThrow('subnets[0]: name: received the invisible character U+200B; allowed:');
  });

  it.each([
    ['Persian', '\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645'],
    ['Hindi', '\u0915\u094D\u200D\u0937'],
    ['an emoji of a family', '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}'],
  ])('can be %s, with joiners: %s', async (_language, name) => {
    const world = await createWorld();
    for (const way of ways) await world.ways[way]?.(name);
    expect(world.clients.get(world.clientId)?.name).toBe(name);
    expect(world.apiKeys.get(world.keyId)?.name).toBe(name);
  });

  it('keeps each sequence of emoji with joiners as it was given', async () => {
    const { context } = await createWorld();
    const emoji = fc
      .array(fc.constantFrom('\u{1F468}', '\u{1F469}\u{1F3FD}', '\u2764\uFE0F', '\u{1F680}'), {
        minLength: 1,
        maxLength: 8,
      })
      .map((parts) => parts.join('\u200D'));
    await fc.assert(
      fc.asyncProperty(emoji, async (name) => {
        const { client } = await createClient(context, { ...newClient, name });
        expect(client.name).toBe(name);
      }),
    );
  });
});

describe('a stored name with an invisible character', () => {
  const name = 'Bill\u200Bing';

  it('is kept by every other change, also if it is sent again', async () => {
    const { context, clientId, secretId, keyId, storeNames } = await createWorld();
    storeNames(name);
    const lifetime = { tokenLifetime: 120 };
    expect(await updateClient(context, clientId, lifetime)).toMatchObject({ ...lifetime, name });
    const again = { name, tokenLifetime: 180 };
    expect(await updateClient(context, clientId, again)).toMatchObject(again);
    const secret = { name, expiresAt: 1_900_000_000 };
    expect(await updateClientSecret(context, clientId, secretId, secret)).toMatchObject(secret);
    expect(await updateApiKey(context, keyId, { name })).toMatchObject({ name });
  });

  it('cannot become another one with such a character', async () => {
    const { context, clientId, secretId, keyId, storeNames } = await createWorld();
    storeNames(name);
    const other = `${name} 2`;
    for (const refused of [
      updateClient(context, clientId, { name: other }),
      updateClientSecret(context, clientId, secretId, { name: other }),
      updateApiKey(context, keyId, { name: other }),
    ]) {
      await expect(refused).rejects.toThrow('received the invisible character U+200B');
    }
  });
});
