import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../core/errors.ts';
import type { RotationContext } from '../../../core/key-rotation/execute-action.ts';
import { reconcile } from '../../../core/key-rotation/reconcile.ts';
import { withdrawKey } from '../../../core/key-rotation/withdraw-key.ts';
import { policy } from '../../../lab/suites/rotation/simulation/policies.ts';
import { createContext, survive } from '../../../lab/suites/rotation/simulation/runs.ts';
import { World } from '../../../lab/suites/rotation/simulation/world.ts';

/** A region with a signing key and a next key that is eligible. */
async function createWorld(): Promise<World> {
  const world = new World();
  world.region('slc').deploy();
  await reconcile(context(world));
  const { publicationLead, propagationLag, leeway } = policy;
  const wait = propagationLag + leeway + 20 + publicationLead;
  for (let waited = 0; waited < wait; waited += 10) {
    await world.pass(10);
    await reconcile(context(world));
  }
  return world;
}

const context = (world: World, crashAt?: number): RotationContext =>
  createContext(world, 'slc', { crashAt });

function findKid(world: World, state: string): string {
  return world.store.keys.find((key) => key.state === state)?.kid ?? '';
}

const emergency = (world: World, kid: string) => {
  world.watch.sacrificed.add(kid);
  return { kid, emergency: true, activateEarly: false };
};

describe('an emergency withdrawal', () => {
  it('lets the next key sign, withdraws the lost one and disables it in KMS', async () => {
    const world = await createWorld();
    const [lost, next] = [findKid(world, 'current'), findKid(world, 'next')];
    const { done } = await withdrawKey(context(world), emergency(world, lost));
    expect(done.map((action) => action.kind).slice(0, 3)).toEqual([
      'promote',
      'withdraw',
      'disable',
    ]);
    expect(world.store.find(lost)).toMatchObject({ state: 'disabled', withdrawnAt: world.now });
    expect(world.store.find(next)?.state).toBe('current');
    expect(world.region('slc').kms.canSign(world.store.find(lost)?.kmsKeyArn ?? '')).toBe(false);
  });

  it('needs neither the canary nor another region', async () => {
    const world = await createWorld();
    const lost = findKid(world, 'current');
    const run = context(world);
    const ports = {
      ...run.ports,
      proveKey: () => Promise.reject(new UnavailableError('the canary is gone')),
    };
    await withdrawKey({ ...run, ports }, emergency(world, lost));
    expect(world.store.find(lost)?.state).toBe('disabled');
  });

  it('comes to the same end from every call at which it may die', async () => {
    for (let crashAt = 1; crashAt <= 30; crashAt += 1) {
      const world = await createWorld();
      const [lost, next] = [findKid(world, 'current'), findKid(world, 'next')];
      await survive(() => withdrawKey(context(world, crashAt), emergency(world, lost)));
      await withdrawKey(context(world), emergency(world, lost));
      expect(world.store.find(lost)?.state, `dead at call ${crashAt}`).toBe('disabled');
      expect(world.store.find(next)?.state, `dead at call ${crashAt}`).toBe('current');
    }
  });

  it('changes nothing when it is asked for again', async () => {
    const world = await createWorld();
    const lost = findKid(world, 'current');
    await withdrawKey(context(world), emergency(world, lost));
    const states = () => world.store.keys.map(({ kid, state }) => `${kid} ${state}`);
    const before = states();
    const { done } = await withdrawKey(context(world), emergency(world, lost));
    expect(done).toEqual([]);
    expect(states()).toEqual(before);
  });

  it('lets a key sign too early only if that is asked for', async () => {
    const world = await createWorld();
    await withdrawKey(context(world), emergency(world, findKid(world, 'current')));
    const lost = findKid(world, 'current');
    await expect(withdrawKey(context(world), emergency(world, lost))).rejects.toThrow(
      /no other key may replace it: the next key of slc, .{43}, may sign from .* on, in 160 s at the earliest/,
    );
    expect(world.store.find(lost)?.state).toBe('current');
    await withdrawKey(context(world), { ...emergency(world, lost), activateEarly: true });
    expect(world.store.find(lost)?.state).toBe('disabled');
    expect(findKid(world, 'current')).not.toBe('');
  });

  it('of a key that someone has deleted in KMS is made good in the table', async () => {
    const world = await createWorld();
    const lost = findKid(world, 'next');
    world.region('slc').kms.keys.delete(world.store.find(lost)?.kmsKeyArn ?? '');
    await withdrawKey(context(world), emergency(world, lost));
    expect(world.store.find(lost)?.state).toBe('disabled');
    expect(findKid(world, 'next')).not.toBe('');
  });
});
