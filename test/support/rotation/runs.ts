import type { RegionId } from '../../../contract/regions.ts';
import {
  ConflictError,
  RefusedError,
  SigningKeyUnusableError,
  UnavailableError,
} from '../../../core/errors.ts';
import type { RotationContext } from '../../../core/signing-key/execute-action.ts';
import { PromotionRefusedError } from '../../../core/signing-key/rotation-errors.ts';
import type { RotationPorts } from '../../../core/signing-key/rotation-ports.ts';
import type { FastAlg } from './memory-kms.ts';
import type { Random } from './random.ts';
import { maxCallTime, policy, type World } from './world.ts';

/** The function died. */
class Crash extends Error {}

/** How a run goes. */
export interface RunFate {
  /** Which of its calls is its last; the call may or may not have taken effect. */
  readonly crashAt?: number | undefined;
  /** Waits for its turn before each call, where several run at once. */
  readonly gate?: (() => Promise<void>) | undefined;
}

let runs = 0;

/** One run's ports: each call may be the last. */
export function createContext(
  world: World,
  regionId: RegionId,
  algs: readonly [FastAlg, ...FastAlg[]],
  fate: RunFate = {},
): RotationContext {
  let calls = 0;
  let isDead = false;
  runs += 1;
  const runId = `run-${runs}`;
  let ids = 0;

  async function call<T>(effect: () => Promise<T>): Promise<T> {
    if (isDead) throw new Crash();
    const sentAt = world.now;
    await fate.gate?.();
    // Clients give up in time: what a call was told about the time is then still true.
    if (world.now - sentAt > maxCallTime) throw new UnavailableError('no answer in time');
    calls += 1;
    if (calls !== fate.crashAt) return effect();
    isDead = true;
    if (world.random.chance(0.5)) await effect();
    throw new Crash();
  }

  function guard<T extends object>(port: T): T {
    return new Proxy(port, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) => call(() => method(...args));
      },
    });
  }

  const ports: RotationPorts = {
    store: guard(world.store),
    keyManagement: guard(world.region(regionId).kms),
    audit: { appendAudit: () => call(async () => {}) },
    proveKey: (kid) => call(() => world.prove(kid, regionId)),
    now: () => world.now,
    newId: () => `${runId}-${ids++}`,
  };
  return { ports, settings: { regionId, runId, algs, policy }, actor: runId };
}

/** Errors that end a run and that the next run makes good. */
const expected = [
  Crash,
  UnavailableError,
  SigningKeyUnusableError,
  PromotionRefusedError,
  RefusedError,
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

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

export interface Play {
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
