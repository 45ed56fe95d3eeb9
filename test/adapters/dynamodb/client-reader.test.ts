import { describe, expect, it } from 'vitest';
import { createDynamoDbClientLookup } from '../../../adapters/dynamodb/stores/client-lookup.ts';
import { createDynamoDbClientReader } from '../../../adapters/dynamodb/stores/client-reader.ts';
import { isId } from '../../../core/credential/credential-value.ts';
import { clientIdOf } from '../../../lab/support/clients.ts';

const cognitoId = '7abcdefghijklmnopqrstuvwxy';
const keyOfCognitoId = 'client_former_bbdb09eb6ae2108586ac6819e4c3fbca';

describe.each([
  ['reader', createDynamoDbClientReader],
  ['look-up', createDynamoDbClientLookup],
] as const)('the client of a request to the %s', (_, create) => {
  async function readKey(id: string): Promise<unknown> {
    const keys: unknown[] = [];
    const get = async ({ Key }: { readonly Key: Readonly<Record<string, unknown>> }) => {
      keys.push(Key['client_id']);
      return {};
    };
    await create({ get } as never, 'clients').findClient(id);
    expect(keys).toHaveLength(1);
    return keys[0];
  }

  it('is read once: by its id, or by the key that follows from an id of before', async () => {
    expect(await readKey(clientIdOf(1))).toBe(clientIdOf(1));
    expect(await readKey(cognitoId)).toBe(keyOfCognitoId);
    expect(isId('client', keyOfCognitoId)).toBe(false);
  });

  it('has no other key: not by case, a blank, a prefix of ours, or the key itself', async () => {
    const ids = [
      cognitoId,
      cognitoId.toUpperCase(),
      `${cognitoId} `,
      'client_1',
      '',
      'x'.repeat(9999),
    ];
    const read = await Promise.all([...ids, keyOfCognitoId].map(readKey));
    expect(new Set(read).size).toBe(ids.length + 1);
    expect(read.every((key) => /^client_former_[0-9a-f]{32}$/.test(String(key)))).toBe(true);
  });
});
