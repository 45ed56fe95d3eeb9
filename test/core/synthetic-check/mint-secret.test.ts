import { describe, expect, it } from 'vitest';
import {
  syntheticAuthority,
  syntheticClientId,
  syntheticSecretLifetime,
} from '../../../contract/synthetic-check.ts';
import type { Client } from '../../../core/client/client.ts';
import { hashSecret } from '../../../core/credential/credential-value.ts';
import { ConflictError } from '../../../core/errors.ts';
import { mintSecret } from '../../../core/synthetic-check/run-synthetic-check.ts';
import { makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { createMemoryClientStore } from '../../support/memory-stores.ts';

const now = 1_800_000_000;
const clientId = syntheticClientId('slc');

function world(existing?: Partial<Client>) {
  const items = new Map<string, Client>();
  if (existing !== undefined) items.set(clientId, makeClient({ clientId, ...existing }));
  const clients = createMemoryClientStore(items);
  let drawn = 0;
  const drawBytes = (length: number) => new Uint8Array(length).fill((drawn += 1));
  return { items, clients, drawBytes, stored: () => items.get(clientId) };
}

describe('a minted secret', () => {
  it('makes the client if there is none, and is kept as a hash for ten minutes', async () => {
    const { stored, ...ports } = world();
    const credentials = await mintSecret('slc', ports, now);
    expect(credentials.clientId).toBe(clientId);
    expect(stored()).toMatchObject({
      name: 'Synthetic check of slc, kept by the service itself',
      ...syntheticAuthority,
      createdAt: now,
    });
    const [secret, ...others] = stored()?.secrets ?? [];
    expect(others).toEqual([]);
    expect(secret).toMatchObject({ createdAt: now, expiresAt: now + syntheticSecretLifetime });
    expect(secret?.hash).toBe(hashSecret(credentials.clientSecret));
    expect(JSON.stringify(stored())).not.toContain(credentials.clientSecret);
  });

  it('takes the place of those that have ended, and leaves one that is in use', async () => {
    const ended = makeSecret(secretValueOf(1), { expiresAt: now });
    const live = makeSecret(secretValueOf(2), { expiresAt: now + 1 });
    const { stored, ...ports } = world({ secrets: [ended, live], version: 7 });
    await mintSecret('slc', ports, now);
    expect(stored()?.version).toBe(8);
    expect(stored()?.secrets.map(({ secretId }) => secretId)).toEqual([
      live.secretId,
      expect.not.stringContaining(live.secretId),
    ]);
  });

  it.each([
    ['that never end', undefined],
    ['that live longer than any of its own', now + syntheticSecretLifetime + 1],
  ])('leaves none of the secrets %s', async (_, expiresAt) => {
    const foreign = makeSecret(secretValueOf(1), { expiresAt });
    const { stored, ...ports } = world({ secrets: [foreign] });
    await mintSecret('slc', ports, now);
    expect(stored()?.secrets).not.toContainEqual(foreign);
  });

  it('is never one of more than ten', async () => {
    const { stored, ...ports } = world();
    for (let run = 0; run < 30; run += 1) await mintSecret('slc', ports, now);
    expect(stored()?.secrets).toHaveLength(10);
  });

  it('repairs a client that someone has changed', async () => {
    const changed = {
      stops: personStop,
      scopes: ['messaging:manage'],
      name: 'Mine',
      provider: undefined,
    };
    const { stored, ...ports } = world(changed);
    await mintSecret('slc', ports, now);
    expect(stored()).toMatchObject(syntheticAuthority);
    expect(stored()).not.toHaveProperty('stops');
  });

  it('is there after two runs at once, each of them', async () => {
    const { stored, ...ports } = world();
    const both = await Promise.all([mintSecret('slc', ports, now), mintSecret('slc', ports, now)]);
    const hashes = stored()?.secrets.map(({ hash }) => hash);
    expect(hashes).toEqual(
      expect.arrayContaining(both.map(({ clientSecret }) => hashSecret(clientSecret))),
    );
  });

  it('gives up if others are faster each time', async () => {
    const { clients, ...ports } = world();
    let writes = 0;
    const losing = {
      ...clients,
      create: async () => {
        writes += 1;
        throw new ConflictError('too late');
      },
    };
    await expect(mintSecret('slc', { ...ports, clients: losing }, now)).rejects.toThrow(
      ConflictError,
    );
    expect(writes).toBe(3);
  });
});
