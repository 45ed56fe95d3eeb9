import { describe, expect, it } from 'vitest';
import { UnavailableError, VersionConflictError } from '../../../adapters/management.ts';
import type { AskFunction } from '../../../adapters/management-function.ts';
import { createTestManagement } from '../../support/management.ts';
import { createTestFunction } from '../../support/management-function.ts';

type Fate = 'answered' | 'lost' | 'throttled';

/** A function whose answers get lost, or that Lambda does not invoke, in this order. */
function unreliableFunction(...fates: readonly Fate[]) {
  const test = createTestManagement();
  const answering = createTestFunction(test.context);
  const asked: string[] = [];
  const ask: AskFunction = async (alias, request) => {
    const fate = fates[asked.length] ?? 'answered';
    asked.push(fate);
    if (fate === 'throttled') {
      const cause = Object.assign(new Error('too many'), { name: 'TooManyRequestsException' });
      throw new UnavailableError('Lambda', { cause });
    }
    const answer = await answering.ask(alias, request);
    if (fate === 'lost') throw new UnavailableError('Lambda does not answer');
    return answer;
  };
  return { test, asked, management: answering.through('administrator', { ask }) };
}

const newClient = {
  name: 'Billing',
  serviceTrunkGroup: 'tg-1001',
  scopes: ['messaging:view'],
  idempotencyKey: 'key-12345',
};

describe('an answer that is lost', () => {
  it('leaves a creation that a retry with the same key finds', async () => {
    const { test, asked, management } = unreliableFunction('lost');
    await expect(management.createClient(newClient)).rejects.toThrow(UnavailableError);
    expect(asked).toEqual(['lost']);
    const { client, existed } = await management.createClient(newClient);
    expect(existed).toBe(true);
    expect([...test.clients.keys()]).toEqual([client.clientId]);
  });

  it('loses the value of an API key: the retry gets none', async () => {
    const { test, management } = unreliableFunction('lost');
    const apiKey = { name: 'A', serviceTrunkGroup: 'tg-1001', idempotencyKey: 'key-12345' };
    await expect(management.createApiKey(apiKey)).rejects.toThrow(UnavailableError);
    expect((await management.createApiKey(apiKey)).value).toBeUndefined();
    expect(test.apiKeys.size).toBe(1);
  });

  it('of another change makes the retry a conflict', async () => {
    const { test, management } = unreliableFunction('answered', 'lost');
    const { client } = await management.createClient(newClient);
    const changes = { name: 'Other', ifVersion: client.version };
    await expect(management.updateClient(client.clientId, changes)).rejects.toThrow(
      UnavailableError,
    );
    await expect(management.updateClient(client.clientId, changes)).rejects.toThrow(
      VersionConflictError,
    );
    expect(test.clients.get(client.clientId)?.version).toBe(client.version + 1);
  });

  it('of a read is asked for again', async () => {
    const { asked, management } = unreliableFunction('lost', 'lost');
    expect(await management.listClients()).toMatchObject({ items: [] });
    expect(asked).toEqual(['lost', 'lost', 'answered']);
  });
});

describe('a request that Lambda throttled', () => {
  it('was not made, so a change is repeated too, and is made once', async () => {
    const { test, asked, management } = unreliableFunction('throttled', 'throttled');
    const { existed } = await management.createClient(newClient);
    expect(existed).toBe(false);
    expect(asked).toEqual(['throttled', 'throttled', 'answered']);
    expect(test.clients.size).toBe(1);
  });

  it('three times is an outage, and nothing is made', async () => {
    const { test, asked, management } = unreliableFunction('throttled', 'throttled', 'throttled');
    await expect(management.createClient(newClient)).rejects.toThrow(UnavailableError);
    expect(asked).toHaveLength(3);
    expect(test.clients.size).toBe(0);
  });
});
