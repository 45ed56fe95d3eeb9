import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RegionId } from '../../../../contract/regions.ts';
import {
  ConflictError,
  RefusedError,
  SigningKeyUnusableError,
  UnavailableError,
} from '../../../../core/errors.ts';
import { publishKey } from '../../../../core/key-rotation/publish-key.ts';
import {
  PromotionRefusedError,
  type PublishKey,
  RetainedKeyError,
  type RotationContext,
  type RotationPorts,
} from '../../../../core/key-rotation/rotation-ports.ts';
import { CheckedClock } from '../../../../core/server-date.ts';
import { modelCustody } from './memory-kms.ts';
import { shareOfLag } from './policies.ts';
import type { Random } from './random.ts';
import type { Region } from './region.ts';
import type { HostClock } from './virtual-time.ts';
import type { World } from './world.ts';

/** The function died. */
class Crash extends Error {}

/** How a run goes. */
export interface RunFate {
  /** Which of its calls is its last. */
  readonly crashAt?: number | undefined;
  /** Whether the last call takes effect; chance decides if left out. */
  readonly lastCallTakesEffect?: boolean | undefined;
  /** Which of its calls takes effect and gets no answer. */
  readonly lostAnswerAt?: number | undefined;
  /** Waits for its turn before each call, if several run at once. */
  readonly gate?: (() => Promise<void>) | undefined;
}

let runs = 0;

/** One run's calls: each may be the last. */
class Calls {
  readonly #world: World;
  readonly #fate: RunFate;
  readonly #random: Random;
  #made = 0;
  #isDead = false;

  constructor(world: World, fate: RunFate, runId: string) {
    this.#world = world;
    this.#fate = fate;
    this.#random = world.randomFor(runId);
  }

  async call<T>(effect: () => Promise<T>): Promise<T> {
    if (this.#isDead) throw new Crash();
    const world = this.#world;
    const sentAt = world.now;
    await this.#fate.gate?.();
    // Clients give up in time: what a call was told about the time is then still true.
    if (world.now - sentAt > shareOfLag(world.policy).maxCallTime) {
      throw new UnavailableError('no answer in time');
    }
    this.#made += 1;
    if (this.#made === this.#fate.lostAnswerAt) {
      await effect();
      throw new UnavailableError('the answer was lost');
    }
    if (this.#made !== this.#fate.crashAt) return effect();
    this.#isDead = true;
    if (this.#fate.lastCallTakesEffect ?? this.#random.chance(0.5)) await effect();
    throw new Crash();
  }

  /** A port whose every call goes through {@link call}. */
  guard<T extends object>(port: T, assertReachable: () => void, onAnswer: () => void): T {
    return new Proxy(port, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) =>
          this.call(async () => {
            assertReachable();
            const answer = await method(...args);
            onAnswer();
            return answer;
          });
      },
    });
  }
}

/** What one run of a region's rotation works with. */
export function createContext(
  world: World,
  regionId: RegionId,
  fate: RunFate = {},
): RotationContext {
  runs += 1;
  const runId = `run-${runs}`;
  let ids = 0;
  const region = world.region(regionId);
  const calls = new Calls(world, fate, `${regionId} at ${world.now}`);
  // Each run may be on another host.
  const host = world.clock(`${regionId} rotation at ${world.now}`);
  const { record, now } = createModelClock(world, region, host);
  const ports: RotationPorts = {
    store: calls.guard(world.store, () => region.assertTables(), record),
    keyManagement: calls.guard(region.kms, () => region.assertKms(), record),
    audit: { appendAudit: () => calls.call(async () => region.assertTables()) },
    checkKey: (kid) => calls.call(() => world.prove(kid, region)),
    publishKey: createPublisher(world, region, calls),
    now,
    newId: () => `${runId}-${ids++}`,
  };
  const { algs } = region.config;
  return { ports, settings: { regionId, runId, algs, policy: world.policy }, actor: runId };
}

/** The canary's part, on another host: it dies with the run that asks, and at each of its calls. */
function createPublisher(world: World, region: Region, calls: Calls): PublishKey {
  const { leeway } = world.policy;
  const settings = { ...modelCustody, regionId: region.id, leeway };
  return async (request) => {
    const host = world.clock(`${region.id} canary at ${world.now}`);
    const clock = createModelClock(world, region, host);
    const store = calls.guard(world.store, () => region.assertTables(), clock.record);
    const kms = calls.guard(region.kms, () => region.assertKms(), clock.record);
    try {
      const { inspectKey } = kms;
      return await publishKey(request, settings, { store, inspectKey, now: clock.now });
    } catch (error) {
      // An invocation tells only that the function failed.
      if (error instanceof SigningKeyUnusableError) throw new UnavailableError(error.message);
      throw error;
    }
  };
}

/** The clock of a host, as far as its answers of AWS agree with it. */
function createModelClock(world: World, region: Region, host: HostClock) {
  const clock = new CheckedClock(
    () => (host.now() + region.rotationJump) * 1000,
    () => world.now * 1000,
    world.policy.leeway,
  );
  const record = () => clock.record(world.now * 1000, 0);
  record();
  return { record, now: () => clock.now() };
}

/** Errors that end a run and that the next run makes good. */
const expected = [
  Crash,
  UnavailableError,
  SigningKeyUnusableError,
  PromotionRefusedError,
  RefusedError,
  RetainedKeyError,
  ConflictError,
] as const;

/** @returns whether the run died at the call that was to be its last. */
export async function survive(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return false;
  } catch (error) {
    if (!expected.some((known) => error instanceof known)) throw error;
    return error instanceof Crash;
  }
}

interface Play {
  readonly world: World;
  readonly random: Random;
  /** Whether time goes on between two calls. */
  readonly pauses: boolean;
}

/** Plays runs at once, in an order that chance picks call by call. */
export async function playAtOnce(
  { world, random, pauses }: Play,
  starts: readonly ((gate: () => Promise<void>) => Promise<unknown>)[],
): Promise<void> {
  const waiting: (() => void)[] = [];
  const gate = () => new Promise<void>((resolve) => waiting.push(resolve));
  const running = new Set(starts.keys());
  const all = starts.map(async (start, index) => {
    try {
      await survive(() => start(gate));
    } finally {
      running.delete(index);
    }
  });
  const done = Promise.all(all);
  done.catch(() => {});
  while (running.size > 0) {
    await nextTurn();
    const [release] = waiting.splice(random.integer(0, waiting.length - 1), 1);
    release?.();
    // Now and then longer than a run may hold an intent.
    if (pauses && random.chance(0.05)) await world.pass(random.integer(1, 40));
  }
  await done;
}
