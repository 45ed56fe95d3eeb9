import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../core/errors.ts';
import {
  deployKeys,
  reconcile,
  rotateKey,
  withdrawKey,
} from '../../../core/key-rotation/reconcile.ts';
import type { RotationContext } from '../../../core/key-rotation/rotation-ports.ts';
import { policy } from '../../../lab/suites/rotation/simulation/policies.ts';
import { createContext, survive } from '../../../lab/suites/rotation/simulation/runs.ts';
import { World } from '../../../lab/suites/rotation/simulation/world.ts';

class Denial extends Error {}

const describeDenial = (error: unknown) => (error instanceof Denial ? error.message : undefined);

/** A region whose permissions begin to count one after the other, in an order that chance picks. */
function createRegion(seed: number) {
  const world = new World({ seed });
  const context = createContext(world, 'slc');
  const start = world.now;
  const allowedFrom = new Map<string, number>();
  const guard = <T extends object>(port: T): T =>
    new Proxy(port, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          const action = String(name);
          const from = allowedFrom.get(action) ?? start + world.random.integer(0, 120);
          allowedFrom.set(action, from);
          if (world.now < from) throw new Denial(`${action} is not allowed`);
          return method(...args);
        };
      },
    });
  const { ports } = context;
  const guarded = {
    ...ports,
    store: guard(ports.store),
    keyManagement: guard(ports.keyManagement),
    audit: guard(ports.audit),
  };
  return { world, start, context: { ...context, ports: guarded } };
}

describe('the deployment of keys', () => {
  it.each([1, 2, 3, 4, 5, 6])('waits for every permission (seed %d)', async (seed) => {
    const { world, context } = createRegion(seed);
    const reasons: string[] = [];
    const pause = async (reason: string) => {
      reasons.push(reason);
      await world.pass(2);
    };
    const { status } = await deployKeys(context, { pause, describeDenial });
    expect(status).toBe('signing');
    expect(reasons).toContainEqual(expect.stringContaining('is not allowed'));
    expect(world.store.keys.map(({ state }) => state).sort()).toEqual(['current', 'next']);
    expect(world.region('slc').kms.keys.size).toBe(2);
  });

  it('ends with the pause, and gives it the reason', async () => {
    const { context } = createRegion(1);
    const pause = (reason: string) => Promise.reject(new Error(`too late: ${reason}`));
    await expect(deployKeys(context, { pause, describeDenial })).rejects.toThrow(
      /^too late: \w+ is not allowed$/,
    );
  });

  it('waits for no error that nothing explains', async () => {
    const { context } = createRegion(1);
    const pause = () => Promise.reject(new Error('paused'));
    await expect(
      deployKeys(context, { pause, describeDenial: () => undefined }),
    ).rejects.toBeInstanceOf(Denial);
  });
});

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

it('a move to an algorithm that another region has chosen publishes a key, which is no refusal', async () => {
  const world = await createWorld();
  await rotateKey(createContext(world, 'dfw'), 'ES384');
  const { done } = await rotateKey(context(world), 'ES384');
  expect(done.map(({ kind }) => kind)).toContain('publish');
  await expect(rotateKey(context(world), 'ES384')).rejects.toThrow('may sign from');
});

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
      checkKey: () => Promise.reject(new UnavailableError('the canary is gone')),
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
