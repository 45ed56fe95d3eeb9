import { type RegionId, regionIds } from '../../../contract/regions.ts';
import { reconcile } from '../../../core/signing-key/reconcile.ts';
import { rotateKey } from '../../../core/signing-key/rotate-key.ts';
import { withdrawKey } from '../../../core/signing-key/withdraw-key.ts';
import type { FastAlg } from './memory-kms.ts';
import { Random } from './random.ts';
import { createContext, playAtOnce, survive } from './runs.ts';
import { policy, Violation, World } from './world.ts';

/** What may happen in a history beside the schedule. */
export interface HistoryOptions {
  readonly seed: number;
  readonly crashes: boolean;
  readonly missedRuns: boolean;
  readonly duplicateRuns: boolean;
  /** Operators rotate, change the algorithm and withdraw keys. */
  readonly operators: boolean;
  /** Somebody disables keys in KMS. */
  readonly sabotage: boolean;
  /** A region loses sight of the others for longer than any lag that is allowed for. */
  readonly isolation: boolean;
}

/** Seconds between two runs of the schedule. */
const schedule = 10;

/** One history of the three regions, from the issuer's first key over several rotations. */
export class History {
  readonly #options: HistoryOptions;
  readonly random: Random;
  readonly world: World;
  #algs: readonly [FastAlg, ...FastAlg[]] = ['ES256', 'ES384'];
  #disturbed = true;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.random = new Random(options.seed);
    this.world = new World(this.random);
    for (const region of this.world.regions.values()) {
      region.kms.listLag = this.random.integer(0, 20);
    }
  }

  /** Plays the history to its end and checks what must hold there. */
  async play(): Promise<{ readonly issued: number; readonly verified: number }> {
    const joinAt = new Map(regionIds.map((id) => [id, this.#joinTime()]));
    const end = this.world.now + this.random.integer(1, 4) * policy.rotationPeriod;
    const missUntil = new Map<RegionId, number>();
    while (this.world.now < end) {
      for (const id of regionIds) {
        if ((joinAt.get(id) ?? 0) <= this.world.now) this.world.region(id).inService = true;
      }
      const running = regionIds.filter(
        (id) =>
          this.world.region(id).inService &&
          this.world.region(id).isolatedSince === undefined &&
          (missUntil.get(id) ?? 0) <= this.world.now,
      );
      await this.#runAll(running);
      if (this.#options.operators) await this.#operate(running);
      if (this.#options.sabotage) this.#sabotage(running);
      if (this.#options.isolation) this.#isolate();
      for (const id of running) {
        if (this.#options.missedRuns && this.random.chance(0.03)) {
          missUntil.set(id, this.world.now + schedule * this.random.integer(1, 20));
        }
      }
      await this.world.pass(schedule);
    }
    await this.#settle();
    this.#checkEnd();
    return this.world.counts;
  }

  #joinTime(): number {
    return this.world.now + (this.random.chance(0.5) ? 0 : this.random.integer(0, 600));
  }

  async #runAll(ids: readonly RegionId[]): Promise<void> {
    const twice = this.#disturbed && this.#options.duplicateRuns && this.random.chance(0.2);
    if (!twice) {
      for (const id of ids) await survive(() => reconcile(this.#context(id)));
      return;
    }
    const starts = [...ids, this.random.pick(ids.length > 0 ? ids : regionIds)]
      .filter((id) => this.world.region(id).inService)
      .map((id) => (gate: () => Promise<void>) => reconcile(this.#context(id, gate)));
    await playAtOnce({ world: this.world, random: this.random, pauses: true }, starts);
  }

  #context(id: RegionId, gate?: () => Promise<void>) {
    const crashes = this.#disturbed && this.#options.crashes && this.random.chance(0.15);
    const crashAt = crashes ? this.random.integer(1, 40) : undefined;
    return createContext(this.world, id, this.#algs, { crashAt, gate });
  }

  async #operate(ids: readonly RegionId[]): Promise<void> {
    if (ids.length === 0 || !this.random.chance(0.02)) return;
    const id = this.random.pick(ids);
    const what = this.random.integer(0, 3);
    if (what === 0) await survive(() => rotateKey(this.#context(id)));
    if (what === 1) {
      await survive(() => rotateKey(this.#context(id), this.random.pick(['ES256', 'ES384'])));
    }
    if (what === 2) this.#algs = this.random.chance(0.5) ? ['ES384', 'ES256'] : ['ES256', 'ES384'];
    if (what === 3) await this.#withdraw(id);
  }

  async #withdraw(id: RegionId): Promise<void> {
    const keys = this.world.store.keys.filter((key) => key.regionId === id);
    if (keys.length === 0) return;
    const { kid } = this.random.pick(keys);
    const activateUnripe = this.random.chance(0.3);
    this.world.sacrificed.add(kid);
    if (activateUnripe) {
      for (const key of keys.filter(({ state }) => state === 'next')) {
        this.world.sacrificed.add(key.kid);
      }
    }
    const request = { kid, emergency: true, activateUnripe };
    await survive(() => withdrawKey(this.#context(id), request));
  }

  #sabotage(ids: readonly RegionId[]): void {
    if (ids.length === 0 || !this.random.chance(0.01)) return;
    const id = this.random.pick(ids);
    const keys = this.world.store.keys.filter(
      (key) => key.regionId === id && (key.state === 'current' || key.state === 'next'),
    );
    if (keys.length === 0) return;
    this.world.sabotaged = true;
    this.world.region(id).kms.sabotage(this.random.pick(keys).kmsKeyArn);
  }

  /** One region at a time stands alone; runs of the others then notice that it does. */
  #isolate(): void {
    const alone = regionIds.map((id) => this.world.region(id)).find((r) => r.isolatedSince);
    if (alone !== undefined) {
      if (this.random.chance(0.1)) alone.isolatedSince = undefined;
    } else if (this.random.chance(0.03)) {
      const region = this.world.region(this.random.pick(regionIds));
      if (region.inService) region.isolatedSince = this.world.now;
    }
  }

  /** Two undisturbed rotations, after which every trace of a crash must be gone. */
  async #settle(): Promise<void> {
    this.#disturbed = false;
    for (const region of this.world.regions.values()) {
      region.inService = true;
      region.isolatedSince = undefined;
    }
    const end = this.world.now + 3 * policy.rotationPeriod;
    while (this.world.now < end) {
      await this.#runAll(regionIds);
      await this.world.pass(schedule);
    }
  }

  #checkEnd(): void {
    const { store, regions, now } = this.world;
    const { operators, sabotage } = this.#options;
    for (const { id, unsigned, kms } of regions.values()) {
      const own = store.keys.filter((key) => key.regionId === id);
      const inState = (state: string) => own.filter((key) => key.state === state);
      const [current, ...others] = inState('current');
      const [next, ...more] = inState('next');
      if (current?.activatedAt === undefined) throw new Violation(`${id} has no signing key`);
      if (next === undefined) throw new Violation(`${id} has no next key`);
      if (others.length + more.length > 0) throw new Violation(`${id} has a key too many`);
      const age = now - current.activatedAt;
      if (age > policy.rotationPeriod + 2 * schedule) throw new Violation(`${id} is overdue`);
      if (!operators && !sabotage && unsigned > 0) {
        throw new Violation(`${id} could not sign ${unsigned} times`);
      }
      const recorded = new Set(own.map((key) => key.kmsKeyArn));
      const orphans = [...kms.keys.values()].filter(
        (key) =>
          key.state === 'enabled' && key.alg === this.#algs[0] && !recorded.has(key.kmsKeyArn),
      );
      if (orphans.length > 0) throw new Violation(`${id} has ${orphans.length} forgotten keys`);
      if (!operators && !sabotage) this.#checkPace(id);
    }
  }

  /** However often a run is repeated, a key signs for its whole period. */
  #checkPace(id: RegionId): void {
    const starts = this.world.store.keys
      .filter((key) => key.regionId === id)
      .flatMap((key) => key.activatedAt ?? [])
      .sort((a, b) => a - b);
    starts.forEach((start, index) => {
      const before = starts[index - 1];
      if (before !== undefined && start - before < policy.rotationPeriod) {
        throw new Violation(`${id} rotated after ${start - before} s`);
      }
    });
  }
}
