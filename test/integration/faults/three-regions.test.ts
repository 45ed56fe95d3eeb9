import { setImmediate as turn } from 'node:timers/promises';
import { decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../core/client/client.ts';
import { ConflictError, UnavailableError } from '../../../core/errors.ts';
import { SeededRandom } from '../../../lab/emulator/faults/seeded-random.ts';
import { secretValueOf } from '../../../lab/support/clients.ts';
import { figure } from '../../support/figure.ts';
import type { Region } from '../../support/regions/three-regions.ts';
import { lag, rename, revoke, tokenOf, useThreeRegions } from './use-three-regions.ts';

const { world, addClient, statusesOf, seenEverywhere, countUnverifiable } = useThreeRegions();

describe('three regions under one issuer', () => {
  it('each sign with a key of their own, which every region publishes', async () => {
    const client = await addClient();
    await seenEverywhere(client);
    const answers = await Promise.all(
      world().all.map((region) => region.issue(client.clientId, secretValueOf(1))),
    );
    const tokens = answers.map(tokenOf);
    expect(new Set(tokens.map((token) => decodeProtectedHeader(token).kid)).size).toBe(3);
    expect(await countUnverifiable(tokens)).toBe(0);
  });

  it('go on while one of them has lost everything', async () => {
    const client = await addClient();
    await seenEverywhere(client);
    const { slc, dfw, pit } = world().regions;
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
    const unverifiable = await countUnverifiable(tokens);
    await rename(dfw, client.clientId, 'Changed meanwhile');
    figure('a region is lost', { 'tokens of the others': tokens.length - 1, unverifiable });
    expect(unverifiable).toBe(0);
  });
});

function countRefusals(statuses: readonly number[]): number {
  return statuses.filter((status) => status === 401).length;
}

describe('a secret that is revoked in one region', () => {
  it('is refused in the others when they see the write', async () => {
    const client = await addClient();
    await seenEverywhere(client);
    await revoke(world().regions.slc, client.clientId);
    // Statuses in the order of the regions: slc, if it was revoked, dfw, pit.
    const beforeTheWriteIsSeen = await statusesOf(client.clientId, 2);
    world().replicate();
    const afterwards = await statusesOf(client.clientId, 2);
    figure('revocation in one region', {
      'replication lag ms': lag,
      'regions that refuse at once': countRefusals(beforeTheWriteIsSeen),
      'after the lag': countRefusals(afterwards),
    });
    expect(beforeTheWriteIsSeen).toEqual([401, 200, 200]);
    // No cache of clients adds to the lag.
    expect(afterwards).toEqual([401, 401, 401]);
    expect(await statusesOf(client.clientId, 1)).toEqual([200, 200, 200]);
  });
});

describe('a revocation here and a rename there, at the same time', () => {
  /** Each costs six or more calls; `INTERLEAVINGS` makes it thousands more. */
  const rounds = Number(process.env['INTERLEAVINGS'] ?? 300);
  /** Clients that are changed at the same time: enough to keep the machine busy. */
  const atOnce = 10;

  it('never leave the secret un-revoked, in any order of their steps', async () => {
    const random = new SeededRandom(42);
    let conflicts = 0;
    let unrevoked = 0;
    let written = 0;
    /** Lets the others take up to so many steps first. */
    async function pause(most: number): Promise<void> {
      for (let left = random.next() * most; left > 0; left -= 1) await turn();
    }

    async function race(): Promise<void> {
      const client = await addClient();
      const [first, second, third] = world().all.toSorted(() => random.next() - 0.5);
      if (first === undefined || second === undefined || third === undefined) return;
      const counted = async (region: Region, next: (now: Client) => Partial<Client>) => {
        await pause(100);
        for (;;) {
          const now = await region.clients.find(client.clientId);
          if (now === undefined) throw new Error('the client is gone');
          await pause(300);
          try {
            await region.clients.replace({ ...now, ...next(now), version: now.version + 1 });
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
        pause(100).then(() => third.issue(client.clientId, secretValueOf(2))),
      ]);
      const end = await third.clients.find(client.clientId);
      expect(end?.name).toBe('Renamed');
      const secretIds = end?.secrets.map(({ secretId }) => secretId) ?? [];
      if (secretIds.includes('cs_2')) unrevoked += 1;
      expect(secretIds).toContain(client.secrets[0]?.secretId);
    }

    // What a strongly consistent table answers if two regions write one item at once.
    for (const { faults } of world().all) {
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
      'secrets un-revoked': unrevoked,
    });
    expect(unrevoked).toBe(0);
    expect(written).toBe(Math.ceil(rounds / atOnce) * atOnce * 2);
    expect(conflicts).toBeGreaterThan(0);
  });
});
