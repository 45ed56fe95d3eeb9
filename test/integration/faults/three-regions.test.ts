import { createHash } from 'node:crypto';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client } from '../../../core/client/client.ts';
import { formatId, idBytes } from '../../../core/credential/credential-value.ts';
import { ConflictError, UnavailableError } from '../../../core/errors.ts';
import { SeededRandom } from '../../../local/faults/seeded-random.ts';
import { makeClient, makeSecret, secretValueOf } from '../../support/clients.ts';
import {
  type Region,
  startThreeRegions,
  type ThreeRegions,
} from '../../support/regions/three-regions.ts';
import { figure } from './load.ts';

/** Milliseconds: above what DynamoDB takes between the regions of one set. */
const lag = 250;

let world: ThreeRegions;
beforeAll(async () => {
  world = await startThreeRegions(lag);
});
afterAll(() => world.close());
afterEach(() => {
  for (const { faults } of world.all) faults.stop();
});

let serial = 0;

/** A client with two secrets: 1 and 2. */
async function addClient(): Promise<Client> {
  serial += 1;
  const client = makeClient({
    clientId: formatId(
      'client',
      createHash('sha256').update(String(serial)).digest().subarray(0, idBytes),
    ),
    secrets: [makeSecret(secretValueOf(1)), makeSecret(secretValueOf(2), { secretId: 'cs_2' })],
  });
  await world.regions.slc.clients.createClient(client);
  return client;
}

async function seenEverywhere({ clientId }: Client): Promise<void> {
  await vi.waitFor(async () => {
    const statuses = await statusesOf(clientId, 1);
    expect(statuses).toEqual([200, 200, 200]);
  });
}

/** What each region answers: 200 or 401, which becomes 429 when it is asked too often. */
async function statusesOf(clientId: string, secret: number): Promise<readonly number[]> {
  const answers = await Promise.all(
    world.all.map((region) => region.issue(clientId, secretValueOf(secret))),
  );
  return answers.map(({ statusCode }) => (statusCode === 429 ? 401 : statusCode));
}

/** Changes a client as management does: reads, writes the next version, and again on a conflict. */
async function change(region: Region, clientId: string, next: (client: Client) => Partial<Client>) {
  for (;;) {
    const client = await region.clients.findClient(clientId);
    if (client === undefined) throw new Error('the client is gone');
    try {
      const version = client.version + 1;
      await region.clients.replaceClient({ ...client, ...next(client), version });
      return;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}

const revoke = (region: Region, clientId: string) =>
  change(region, clientId, ({ secrets }) => ({
    secrets: secrets.filter(({ secretId }) => secretId !== 'cs_2'),
  }));

const rename = (region: Region, clientId: string, name: string) =>
  change(region, clientId, () => ({ name }));

async function keysOf(region: Region) {
  const { statusCode, body } = await region.jwks();
  expect(statusCode).toBe(200);
  return JSON.parse(body) as JSONWebKeySet;
}

function tokenOf({ body }: { readonly body: string }): string {
  return (JSON.parse(body) as { access_token: string }).access_token;
}

async function expectVerifiable(tokens: readonly string[], by: readonly Region[] = world.all) {
  for (const region of by) {
    const keys = createLocalJWKSet(await keysOf(region));
    for (const token of tokens) await jwtVerify(token, keys, { currentDate: world.now() });
  }
}

describe('three regions under one issuer', () => {
  it('each sign with a key of their own, which every region publishes', async () => {
    const client = await addClient();
    await seenEverywhere(client);
    const answers = await Promise.all(
      world.all.map((region) => region.issue(client.clientId, secretValueOf(1))),
    );
    const tokens = answers.map(tokenOf);
    expect(new Set(tokens.map((token) => decodeProtectedHeader(token).kid)).size).toBe(3);
    await expectVerifiable(tokens);
  });

  it('go on while one of them has lost everything', async () => {
    const client = await addClient();
    await seenEverywhere(client);
    const { slc, dfw, pit } = world.regions;
    const before = tokenOf(await pit.issue(client.clientId, secretValueOf(1)));
    pit.faults.play({
      rules: [
        { service: 'dynamodb', fault: 'reset' },
        { service: 'kms', fault: 'reset' },
      ],
    });
    const tokens: string[] = [before];
    for (let count = 0; count < 30; count += 1) {
      for (const region of [slc, dfw]) {
        tokens.push(tokenOf(await region.issue(client.clientId, secretValueOf(1))));
      }
    }
    expect((await pit.issue(client.clientId, secretValueOf(1))).statusCode).toBe(503);
    // The lost region's own tokens go on, everywhere, its own warm JWKS included.
    await expectVerifiable(tokens);
    await rename(dfw, client.clientId, 'Changed meanwhile');
    figure('a region is lost', { 'tokens of the others': 60, unverifiable: 0 });
  });
});

describe('a secret that is revoked in one region', () => {
  it('is refused in the others as soon as they see the write', async () => {
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const client = await addClient();
      await seenEverywhere(client);
      await revoke(world.regions.slc, client.clientId);
      const start = performance.now();
      expect((await world.regions.slc.issue(client.clientId, secretValueOf(2))).statusCode).toBe(
        401,
      );
      await vi.waitFor(
        async () => expect(await statusesOf(client.clientId, 2)).toEqual([401, 401, 401]),
        { interval: 10 },
      );
      times.push(performance.now() - start);
      expect(await statusesOf(client.clientId, 1)).toEqual([200, 200, 200]);
    }
    const longest = Math.max(...times);
    figure('revocation in one region', {
      'replication lag ms': lag,
      'refused in all after ms, longest of 5': longest.toFixed(0),
    });
    // No cache of clients adds to the lag; the rest is the machine.
    expect(longest).toBeLessThan(lag + 1000);
  });
});

describe('a revocation here and a rename there, at the same time', () => {
  /** Each costs six or more calls; `INTERLEAVINGS` makes it thousands more. */
  const rounds = Number(process.env['INTERLEAVINGS'] ?? 300);
  /** Clients that are changed at the same time: enough to keep the machine busy. */
  const atOnce = 10;

  it('never leave the secret un-revoked, in whatever order their steps come', async () => {
    const random = new SeededRandom(42);
    let conflicts = 0;
    let written = 0;
    const pause = (most: number) =>
      new Promise((resolve) => setTimeout(resolve, random.next() * most));

    async function race(): Promise<void> {
      const client = await addClient();
      const [first, second, third] = world.all.toSorted(() => random.next() - 0.5);
      if (first === undefined || second === undefined || third === undefined) return;
      const counted = async (region: Region, next: (now: Client) => Partial<Client>) => {
        await pause(200);
        for (;;) {
          const now = await region.clients.findClient(client.clientId);
          if (now === undefined) throw new Error('the client is gone');
          await pause(30);
          try {
            await region.clients.replaceClient({ ...now, ...next(now), version: now.version + 1 });
            written += 1;
            return;
          } catch (error) {
            const again = error instanceof ConflictError || error instanceof UnavailableError;
            if (!again) throw error;
            conflicts += 1;
          }
        }
      };
      await Promise.all([
        counted(first, ({ secrets }) => ({
          secrets: secrets.filter(({ secretId }) => secretId !== 'cs_2'),
        })),
        counted(second, () => ({ name: 'Renamed' })),
        pause(200).then(() => third.issue(client.clientId, secretValueOf(2))),
      ]);
      const end = await third.clients.findClient(client.clientId);
      expect(end?.name).toBe('Renamed');
      expect(end?.secrets.map(({ secretId }) => secretId)).toEqual([client.secrets[0]?.secretId]);
    }

    // What a strongly consistent table answers where two regions write one item at once.
    for (const { faults } of world.all) {
      faults.play({
        rules: [
          {
            service: 'dynamodb',
            operation: 'UpdateItem',
            fault: 'error',
            code: 'ReplicatedWriteConflictException',
            share: 0.1,
          },
        ],
      });
    }
    for (let round = 0; round < rounds; round += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, race));
    }
    figure('concurrent revocation and rename', {
      interleavings: rounds,
      'writes that met another': conflicts,
      'secrets un-revoked': 0,
    });
    expect(written).toBe(Math.ceil(rounds / atOnce) * atOnce * 2);
    expect(conflicts).toBeGreaterThan(0);
  });
});

describe('a region that is cut off from the others', () => {
  const isolate = (region: Region) =>
    region.faults.play({ rules: [{ service: 'dynamodb', fault: 'isolated_region' }] });

  it('goes on issuing and verifying from what it saw last, and changes nothing', async () => {
    const client = await addClient();
    await seenEverywhere(client);
    const { slc, pit } = world.regions;
    isolate(pit);
    const token = tokenOf(await pit.issue(client.clientId, secretValueOf(1)));
    await expectVerifiable([token]);
    await expect(rename(pit, client.clientId, 'Changed in the dark')).rejects.toBeInstanceOf(
      UnavailableError,
    );
    await rename(slc, client.clientId, 'Changed in the light');
    expect((await slc.clients.findClient(client.clientId))?.name).toBe('Changed in the light');
  });

  it('still takes a secret that was revoked elsewhere, until it is back: then nothing returns', async () => {
    const client = await addClient();
    await seenEverywhere(client);
    const { slc, pit } = world.regions;
    isolate(pit);
    await revoke(slc, client.clientId);
    await vi.waitFor(async () =>
      expect(await statusesOf(client.clientId, 2)).toEqual([401, 401, 200]),
    );
    pit.faults.stop();
    await vi.waitFor(async () =>
      expect(await statusesOf(client.clientId, 2)).toEqual([401, 401, 401]),
    );
    for (const region of world.all) {
      const seen = await region.clients.findClient(client.clientId);
      expect(seen?.secrets).toHaveLength(1);
    }
  });

  it('shows by the heartbeats of the others how long it has been cut off', async () => {
    const { slc, dfw, pit } = world.regions;
    const minutes = (count: number) => world.wait(count * 60);
    const lagOf = (region: Region) => region.runs.at(-1)?.metrics['ReplicationLag'] ?? Number.NaN;
    const expectInTouch = (region: Region) =>
      vi.waitFor(async () => {
        await region.rotate('reconcile');
        // One interval of the rotation, and half a minute for a busy machine.
        expect(lagOf(region)).toBeLessThan(330);
      });
    for (const region of world.all) await expectInTouch(region);
    isolate(pit);
    for (let run = 0; run < 12; run += 1) {
      minutes(5);
      for (const region of [slc, dfw]) await region.rotate('reconcile');
      await expect(pit.rotate('reconcile')).rejects.toThrow();
    }
    const alone = lagOf(pit);
    expect(alone).toBeGreaterThanOrEqual(3600);
    await expectInTouch(slc);
    pit.faults.stop();
    await expectInTouch(pit);
    figure('a region cut off for an hour', {
      'ReplicationLag there s': alone,
      'elsewhere s': lagOf(slc),
      'after healing s': lagOf(pit),
    });
  });
});
