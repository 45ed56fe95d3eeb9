import { describe, expect, it } from 'vitest';
import { deployKeys } from '../../../core/key-rotation/deploy-keys.ts';
import { createContext } from '../../../lab/suites/rotation/simulation/runs.ts';
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
