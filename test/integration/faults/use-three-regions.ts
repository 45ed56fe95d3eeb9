import { createHash } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Client } from '../../../core/client/client.ts';
import { formatId, idBytes } from '../../../core/credential/credential-value.ts';
import { ConflictError } from '../../../core/errors.ts';
import { makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';
import {
  type Region,
  startThreeRegions,
  type ThreeRegions,
} from '../../support/regions/three-regions.ts';

/** Milliseconds: above what DynamoDB takes between the regions of one set. */
export const lag = 250;

/** Starts three regions for the tests of a file. After each test everything works again. */
export function useThreeRegions() {
  let world: ThreeRegions;
  beforeAll(async () => {
    world = await startThreeRegions(lag);
  });
  afterAll(() => world.close());
  afterEach(() => {
    for (const { faults } of world.all) faults.stop();
  });

  let serial = 0;

  /** A client with two secrets, 1 and 2; of the second, its id is `cs_2`. */
  async function addClient(second: { readonly expiresAt?: number } = {}): Promise<Client> {
    serial += 1;
    const id = createHash('sha256').update(String(serial)).digest().subarray(0, idBytes);
    const client = makeClient({
      clientId: formatId('client', id),
      secrets: [
        makeSecret(secretValueOf(1)),
        makeSecret(secretValueOf(2), { secretId: 'cs_2', ...second }),
      ],
    });
    await world.regions.slc.clients.create(client);
    return client;
  }

  /** What each region answers: 200 or 401, which becomes 429 when it is asked too often. */
  async function statusesOf(clientId: string, secret: number): Promise<readonly number[]> {
    const answers = await Promise.all(
      world.all.map((region) => region.issue(clientId, secretValueOf(secret))),
    );
    return answers.map(({ statusCode }) => (statusCode === 429 ? 401 : statusCode));
  }

  async function seenEverywhere({ clientId }: Client): Promise<void> {
    world.replicate();
    expect(await statusesOf(clientId, 1)).toEqual([200, 200, 200]);
  }

  /** How often a region's JWKS does not verify a token. */
  async function countUnverifiable(tokens: readonly string[]): Promise<number> {
    let count = 0;
    for (const region of world.all) {
      const keys = createLocalJWKSet(await keysOf(region));
      const outcomes = await Promise.allSettled(
        tokens.map((token) => jwtVerify(token, keys, { currentDate: world.now() })),
      );
      count += outcomes.filter(({ status }) => status === 'rejected').length;
    }
    return count;
  }

  return { world: () => world, addClient, statusesOf, seenEverywhere, countUnverifiable };
}

async function keysOf(region: Region): Promise<JSONWebKeySet> {
  const { statusCode, body } = await region.jwks();
  expect(statusCode).toBe(200);
  return JSON.parse(body) as JSONWebKeySet;
}

/** Changes a client as management does: reads, writes the next version, and again on a conflict. */
async function change(region: Region, clientId: string, next: (client: Client) => Partial<Client>) {
  for (;;) {
    const client = await region.clients.find(clientId);
    if (client === undefined) throw new Error('the client is gone');
    try {
      const version = client.version + 1;
      await region.clients.replace({ ...client, ...next(client), version });
      return;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}

/** Takes away the second secret. */
export const revoke = (region: Region, clientId: string): Promise<void> =>
  change(region, clientId, ({ secrets }) => ({
    secrets: secrets.filter(({ secretId }) => secretId !== 'cs_2'),
  }));

export const rename = (region: Region, clientId: string, name: string): Promise<void> =>
  change(region, clientId, () => ({ name }));

export function tokenOf({ body }: { readonly body: string }): string {
  return (JSON.parse(body) as { access_token: string }).access_token;
}
