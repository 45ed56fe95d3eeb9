import { describe, expect, it } from 'vitest';
import { createDynamoDbClientReader } from '../../../adapters/dynamodb/stores/client-reader.ts';
import { deriveImportedClientId } from '../../../core/client/provider-client-id.ts';
import { isId } from '../../../core/credential/credential-value.ts';
import { clientIdOf } from '../../../lab/support/clients.ts';

const cognitoId = '7abcdefghijklmnopqrstuvwxy';

async function readIds(hasImports: boolean | undefined, id: string): Promise<readonly unknown[]> {
  const ids: unknown[] = [];
  const get = async ({ Key }: { readonly Key: Readonly<Record<string, unknown>> }) => {
    ids.push(Key['client_id']);
    return {};
  };
  const reader = createDynamoDbClientReader({ get } as never, 'clients', { hasImports });
  await reader.findClient(id);
  return ids;
}

describe('the client of a request', () => {
  it('is read once: by its id here, or by the one that follows from its id of before', async () => {
    expect(await readIds(true, clientIdOf(1))).toEqual([clientIdOf(1)]);
    expect(await readIds(true, cognitoId)).toEqual(['client_3af3ntUH2vSIRxDiaXoEdd']);
    expect(deriveImportedClientId(cognitoId)).toSatisfy((id: string) => isId('client', id));
  });

  it.each([false, undefined])('is the one that it names if no client is imported', async (off) => {
    expect(await readIds(off, cognitoId)).toEqual([cognitoId]);
  });

  it('is another one for an id that differs by case, a blank or a prefix of ours', async () => {
    const ids = [cognitoId, cognitoId.toUpperCase(), `${cognitoId} `, 'client_1', ''];
    const read = await Promise.all(ids.map((id) => readIds(true, id)));
    expect(new Set(read.flat()).size).toBe(ids.length);
  });
});
