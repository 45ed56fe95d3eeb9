import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../core/errors.ts';
import { reconcile } from '../../../core/key-rotation/reconcile.ts';
import { policy } from '../../../lab/suites/rotation/simulation/policies.ts';
import { Random } from '../../../lab/suites/rotation/simulation/random.ts';
import {
  createContext,
  playAtOnce,
  survive,
} from '../../../lab/suites/rotation/simulation/runs.ts';
import { World } from '../../../lab/suites/rotation/simulation/world.ts';
import { figure } from '../../support/figure.ts';

/** What remains of a history when the names of keys are left out. */
function summarise(world: World): unknown {
  const enabled = [...world.region('slc').kms.keys.values()].filter(
    (key) => key.state === 'enabled',
  );
  return {
    keys: world.store.keys.map(({ alg, state }) => `${alg} ${state}`).sort(),
    openSlots: world.store.intents.filter(({ slot, closed }) => slot !== 'first' && !closed),
    enabledInKms: enabled.length,
  };
}

/** Keys that KMS holds and that no one would ever take out of use. */
function countKeysWithoutRecord(world: World): number {
  const recorded = new Set(world.store.keys.map(({ kmsKeyArn }) => kmsKeyArn));
  const held = [...world.region('slc').kms.keys].filter(([, { state }]) => state === 'enabled');
  return held.filter(([arn]) => !recorded.has(arn)).length;
}

const moments = [
  ['the very first deployment', 0],
  ['the first rotation', policy.rotationPeriod],
  ['the withdrawal of the first key', policy.rotationPeriod + policy.retention],
  ['the disabling of the first key', policy.rotationPeriod + policy.retention + 125],
  ['the deletion of the first key', policy.rotationPeriod + policy.retention + 190],
] as const;

/** A world of one region in which all goes well until a moment. */
async function createWorld(moment: number, seed: number): Promise<World> {
  const world = new World({ seed });
  world.region('slc').deploy();
  const end = world.now + moment;
  if (moment === 0) return world;
  while (world.now < end - 10) {
    await reconcile(createContext(world, 'slc'));
    await world.pass(10);
  }
  await world.pass(end - world.now);
  return world;
}

/** Runs on, undisturbed, until a lease that a dead run held is over. */
async function settle(world: World): Promise<void> {
  for (let run = 0; run < 5; run += 1) {
    await survive(() => reconcile(createContext(world, 'slc')));
    await world.pass(10);
  }
}

describe('a run of the rotation that dies', () => {
  it.each(moments)(
    'after any of its calls during %s changes nothing about the outcome',
    async (what, moment) => {
      const undisturbed = await createWorld(moment, 1);
      await settle(undisturbed);
      const expected = summarise(undisturbed);
      let deaths = 0;
      let diedBefore = 0;
      // Until the run lives on, since it makes no call so late.
      for (let crashAt = 1; crashAt === 1 || deaths > diedBefore; crashAt += 1) {
        diedBefore = deaths;
        // Several seeds: chance decides whether the last call takes effect.
        for (const seed of [1, 2, 3, 4]) {
          const world = await createWorld(moment, seed);
          const context = createContext(world, 'slc', { crashAt });
          if (await survive(() => reconcile(context))) deaths += 1;
          await settle(world);
          expect(summarise(world), `dead at call ${crashAt}`).toEqual(expected);
        }
      }
      figure(`a rotation that dies during ${what}`, { deaths });
      expect(deaths).toBeGreaterThan(0);
    },
    60_000,
  );
});

describe('a key that someone disables before it is published', () => {
  it('is left alone, and another one is published', async () => {
    const world = await createWorld(moments[1][1], 1);
    const { kms } = world.region('slc');
    const context = createContext(world, 'slc');
    const publishKey = () => Promise.reject(new UnavailableError('no answer'));
    // Promotes the next key and makes the one after it.
    await reconcile({ ...context, ports: { ...context.ports, publishKey } });
    const made = world.store.intents.find(({ slot }) => slot === 'slc')?.kmsKeyArn ?? '';
    kms.set(made, 'disabled');
    await world.pass(40);
    await reconcile(createContext(world, 'slc'));
    const next = world.store.keys.filter(({ state }) => state === 'next');
    expect(next).toHaveLength(1);
    expect(next[0]?.kmsKeyArn).not.toBe(made);
    expect(world.store.keys.filter(({ kmsKeyArn }) => kmsKeyArn === made)).toEqual([]);
  });
});

describe('two runs at once', () => {
  it.each(moments)('during %s make one key and one step', async (what, moment) => {
    const undisturbed = await createWorld(moment, 1);
    await settle(undisturbed);
    const expected = summarise(undisturbed);
    const orders = 20;
    let keysWithoutRecord = 0;
    for (let seed = 0; seed < orders; seed += 1) {
      const world = await createWorld(moment, 1);
      const random = new Random(seed);
      const start = (gate: () => Promise<void>) => reconcile(createContext(world, 'slc', { gate }));
      await playAtOnce({ world, random, pauses: false }, [start, start]);
      await settle(world);
      keysWithoutRecord += countKeysWithoutRecord(world);
      expect(summarise(world)).toEqual(expected);
    }
    figure(`two runs at once during ${what}`, {
      orders,
      'keys without a record': keysWithoutRecord,
    });
    expect(keysWithoutRecord).toBe(0);
  });

  it('of two regions make one first key, and only that key signs at once', async () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const world = new World({ seed });
      const regions = ['slc', 'dfw'] as const;
      const starts = regions.map(
        (id) => (gate: () => Promise<void>) => reconcile(createContext(world, id, { gate })),
      );
      await playAtOnce({ world, random: world.random, pauses: true }, starts);
      await world.pass(40);
      for (const id of regions) await reconcile(createContext(world, id));
      const current = world.store.keys.filter((key) => key.state === 'current');
      expect(current).toHaveLength(1);
      expect(world.store.keys.filter((key) => key.state === 'next')).toHaveLength(2);
    }
  });
});
