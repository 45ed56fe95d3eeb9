import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../core/errors.ts';
import { secretValueOf } from '../../../lab/support/clients.ts';
import { figure } from '../../support/figure.ts';
import type { Region } from '../../support/regions/three-regions.ts';
import { rename, revoke, tokenOf, useThreeRegions } from './use-three-regions.ts';

const { world, addClient, statusesOf, seenEverywhere, countUnverifiable } = useThreeRegions();

describe('a region that is cut off from the others', () => {
  function isolate(region: Region): void {
    region.faults.play({ rules: [{ service: 'dynamodb', fault: 'isolated_region' }] });
    // What is written from here on is later than the cut.
    world().wait(1);
  }

  it('goes on issuing and verifying from what it saw last, and changes nothing', async () => {
    const client = await addClient();
    await seenEverywhere(client);
    const { slc, pit } = world().regions;
    isolate(pit);
    const token = tokenOf(await pit.issue(client.clientId, secretValueOf(1)));
    expect(await countUnverifiable([token])).toBe(0);
    await expect(rename(pit, client.clientId, 'Changed in the dark')).rejects.toBeInstanceOf(
      UnavailableError,
    );
    await rename(slc, client.clientId, 'Changed in the light');
    expect((await slc.clients.find(client.clientId))?.name).toBe('Changed in the light');
  });

  it('still takes a secret that was revoked elsewhere, until it is back: then nothing returns', async () => {
    const client = await addClient();
    await seenEverywhere(client);
    const { slc, pit } = world().regions;
    isolate(pit);
    await revoke(slc, client.clientId);
    world().replicate();
    expect(await statusesOf(client.clientId, 2)).toEqual([401, 401, 200]);
    pit.faults.stop();
    expect(await statusesOf(client.clientId, 2)).toEqual([401, 401, 401]);
    for (const region of world().all) {
      const seen = await region.clients.find(client.clientId);
      expect(seen?.secrets).toHaveLength(1);
    }
  });

  it('brings nothing back after an hour: what ended or was revoked elsewhere remains ended or revoked', async () => {
    const { slc, pit } = world().regions;
    const inHalfAnHour = Math.floor(world().now().getTime() / 1000) + 1800;
    const [revoked, expiring, renamed] = await Promise.all([
      addClient(),
      addClient({ expiresAt: inHalfAnHour }),
      addClient(),
    ]);
    for (const client of [revoked, expiring, renamed]) await seenEverywhere(client);
    isolate(pit);
    await revoke(slc, revoked.clientId);
    await rename(slc, renamed.clientId, 'Renamed meanwhile');
    // What the region writes in the dark fails, and must not come through later either.
    const attempts = await Promise.allSettled([
      rename(pit, revoked.clientId, 'Written in the dark'),
      rename(pit, renamed.clientId, 'Written in the dark'),
    ]);
    world().wait(3600);
    // Expiry needs no other region: only the clock decides.
    expect(await statusesOf(expiring.clientId, 2)).toEqual([401, 401, 401]);
    const before = await statusesOf(revoked.clientId, 2);
    pit.faults.stop();
    for (const region of world().all) await region.rotate('reconcile');
    world().replicate();
    expect(await statusesOf(revoked.clientId, 2)).toEqual([401, 401, 401]);
    let secretsBack = 0;
    let namesBack = 0;
    for (const region of world().all) {
      const [one, other] = await Promise.all(
        [revoked, renamed].map(({ clientId }) => region.clients.find(clientId)),
      );
      if (one?.secrets.some(({ secretId }) => secretId === 'cs_2') !== false) secretsBack += 1;
      if (other?.name !== 'Renamed meanwhile') namesBack += 1;
    }
    figure('a region is back after an hour', {
      'took the revoked secret while cut off': before.filter((status) => status === 200).length,
      'writes refused there': attempts.filter(({ status }) => status === 'rejected').length,
      'revoked secrets back': secretsBack,
      'changes undone': namesBack,
    });
    expect(before).toEqual([401, 401, 200]);
    expect(attempts.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect([secretsBack, namesBack]).toEqual([0, 0]);
  });

  it('shows by the heartbeats of the others how long it has been cut off', async () => {
    const { slc, dfw, pit } = world().regions;
    const minutes = (count: number) => world().wait(count * 60);
    const lagOf = (region: Region) => {
      const { fields, metrics } = region.runs.at(-1) ?? {};
      const lag = Number(fields?.['replication_lag']);
      // The alarm sees it when it is longer than usual.
      expect(metrics?.['ReplicationLag']).toBe(lag > 600 ? lag : undefined);
      return lag;
    };
    async function expectInTouch(region: Region): Promise<void> {
      world().replicate();
      await region.rotate('reconcile');
      // One interval of the rotation, and the replication lag.
      expect(lagOf(region)).toBeLessThanOrEqual(301);
    }
    for (const region of world().all) await region.rotate('reconcile');
    for (const region of world().all) await expectInTouch(region);
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
