import { describe, expect, it } from 'vitest';
import { askedWorld, newClient } from './restricted-world.ts';

const person = { actor: 'https://idp.example.net#ada', role: 'manager' };

describe('an idempotency key that another trunk group has used', () => {
  it.each([
    ['createClient', (group: string) => ({ client: { ...newClient, serviceTrunkGroup: group } })],
    [
      'createApiKey',
      (serviceTrunkGroup: string) => ({
        apiKey: { name: 'A', serviceTrunkGroup, idempotencyKey: 'key-12345' },
      }),
    ],
  ])('is unused for %s', async (operation, input) => {
    const { ask } = await askedWorld();
    const create = async (group: string) => {
      const asked = { person, trunk_groups: [group] };
      const { result, error } = await ask(operation, input(group), 'portal', asked);
      expect(error).toBeUndefined();
      const { client, key } = result as { client?: { clientId: string }; key?: { keyId: string } };
      return client?.clientId ?? key?.keyId;
    };
    const first = await create('tg-1001');
    expect(await create('tg-2002')).not.toBe(first);
    expect(await create('tg-1001')).toBe(first);
  });
});
