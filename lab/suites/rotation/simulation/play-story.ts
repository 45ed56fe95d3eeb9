import { type RegionId, regionIds } from '../../../../contract/regions.ts';
import { reconcile, rotateKey, withdrawKey } from '../../../../core/key-rotation/reconcile.ts';
import { checkEnd, longestPeriod } from './check-end.ts';
import { makePolicy } from './policies.ts';
import type { Region } from './region.ts';
import { createContext, playAtOnce, type RunFate, survive } from './runs.ts';
import type { Story, Trouble } from './story.ts';
import { Violation } from './token-watch.ts';
import { World } from './world.ts';

type TroubleOf<K extends Trouble['kind']> = Extract<Trouble, { readonly kind: K }>;

type Effects = {
  readonly [K in Trouble['kind']]: (trouble: TroubleOf<K>) => void | Promise<void>;
};

/** Plays one story on real planner, executor, caches and key selection. */
class Play {
  readonly story: Story;
  readonly world: World;
  readonly #start: number;
  readonly #fates = new Map<RegionId, RunFate>();
  /** Regions that are taken out of the config, and those of them that are destroyed. */
  readonly #leaving = new Set<RegionId>();
  readonly #removed = new Set<RegionId>();

  constructor(story: Story) {
    const { seed, algs, clocksDiffer, interval, kmsListLag } = story;
    this.story = story;
    this.world = new World({
      policy: makePolicy(story.policy, story.maxTokenLifetime),
      seed,
      algs,
      clocksDiffer,
      interval,
    });
    this.#start = this.world.now;
    this.world.store.onHeartbeat = (id) => this.world.region(id).join();
    for (const region of this.world.regions.values()) region.kms.listLag = kmsListLag;
  }

  async play(): Promise<World> {
    for (const id of regionIds) this.#schedule(id);
    for (const trouble of this.story.troubles) {
      this.world.time.at(this.#start + trouble.at, () => this.#begin(trouble));
    }
    await this.world.pass(this.story.duration);
    this.#heal();
    await this.world.pass(3 * longestPeriod(this.world.policy, this.story));
    checkEnd(this.world, this.story, this.#removed);
    return this.world;
  }

  #schedule(id: RegionId): void {
    const { interval, joinAt, phases } = this.story;
    const { time } = this.world;
    const region = this.world.region(id);
    const tick = async (): Promise<void> => {
      if (this.#removed.has(id)) return;
      time.at(time.now + interval, tick);
      if (!region.missesRuns) await this.#run(region);
    };
    time.at(this.#start + joinAt[id], () => {
      this.world.note(`${id} joins`);
      region.deploy();
      time.at(time.now + phases[id], tick);
    });
  }

  async #run({ id }: Region): Promise<void> {
    const fate = this.#fates.get(id);
    this.#fates.delete(id);
    await survive(() => reconcile(createContext(this.world, id, fate)));
  }

  #begin(trouble: Trouble): void | Promise<void> {
    const isThere = !('region' in trouble) || this.world.region(trouble.region).inService;
    if (!isThere) return undefined;
    this.world.note(describeTrouble(trouble));
    const effect = this.#effects[trouble.kind] as (given: Trouble) => void | Promise<void>;
    return effect(trouble);
  }

  #later(seconds: number, run: () => void): void {
    this.world.time.at(this.world.now + seconds, run);
  }

  readonly #effects: Effects = {
    'cut off': (trouble) => this.#cutOff(trouble),
    unreachable: ({ region, from, seconds }) => {
      const { unreachable } = this.world.region(from);
      unreachable.add(region);
      this.#later(seconds, () => unreachable.delete(region));
    },
    'KMS is down': ({ region: id, seconds }) => {
      const region = this.world.region(id);
      region.isKmsDown = true;
      this.#later(seconds, () => {
        region.isKmsDown = false;
        region.lastKmsOutage = this.world.now;
      });
    },
    'runs are missed': ({ regions, seconds }) => {
      for (const id of regions) this.world.region(id).missesRuns = true;
      this.#later(seconds, () => {
        for (const id of regions) this.world.region(id).missesRuns = false;
      });
    },
    crash: ({ region, call, takesEffect }) => {
      this.#fates.set(region, { crashAt: call, lastCallTakesEffect: takesEffect });
    },
    'lost answer': ({ region, call }) => {
      this.#fates.set(region, { lostAnswerAt: call });
    },
    'runs at once': async ({ regions }) => {
      const { world } = this;
      const ids = regions.filter((id) => world.region(id).inService);
      const starts = ids.map(
        (id) => (gate: () => Promise<void>) => reconcile(createContext(world, id, { gate })),
      );
      const random = world.randomFor('at once', world.now);
      await playAtOnce({ world, random, pauses: true }, starts);
    },
    sabotage: (trouble) => this.#sabotage(trouble),
    'clock jump': ({ region: id, host, by, seconds, at }) => {
      const region = this.world.region(id);
      const clocks = host === 'jwks' ? region.jwksClocks : region.tokenClocks;
      const setJump = (jump: number) => {
        const clock = clocks[at % clocks.length];
        if (host === 'rotation') region.rotationJump = jump;
        else if (clock !== undefined) clock.jump = jump;
      };
      setJump(by);
      this.#later(seconds, () => setJump(0));
    },
    rotate: async ({ region, algorithm }) => {
      await survive(() => rotateKey(createContext(this.world, region), algorithm));
    },
    'new config': ({ algs }) => {
      regionIds.forEach((id, index) => {
        this.#later(index * this.story.interval, () => {
          this.world.region(id).config.algs = algs;
        });
      });
    },
    withdraw: (trouble) => this.#withdraw(trouble),
    remove: ({ region }) => this.#remove(region),
  };

  #cutOff({ region: id, seconds, readsAreStale, canariesAreBlind }: TroubleOf<'cut off'>): void {
    const region = this.world.region(id);
    if (region.cutOff !== undefined) return;
    region.cutOff = { since: this.world.now, readsAreStale };
    const others = [...this.world.regions.values()].filter((other) => other !== region);
    if (canariesAreBlind) for (const { unreachable } of others) unreachable.add(id);
    this.#later(seconds, () => {
      if (region.cutOff === undefined) return;
      region.cutOff = undefined;
      region.lastCutOff = this.world.now;
      for (const { unreachable } of others) unreachable.delete(id);
    });
  }

  #sabotage({ region: id, key: wanted, state, seconds }: TroubleOf<'sabotage'>): void {
    const region = this.world.region(id);
    const key = this.#findKey(id, wanted);
    if (key === undefined || !region.kms.canSign(key.kmsKeyArn)) return;
    region.kms.set(key.kmsKeyArn, state);
    region.lastKmsOutage = this.world.now;
    this.#later(seconds, () => {
      const isRemoved = this.world.store.find(key.kid)?.disabledAt !== undefined;
      if (!isRemoved) region.kms.set(key.kmsKeyArn, 'enabled');
      region.lastKmsOutage = this.world.now;
    });
  }

  async #withdraw(trouble: TroubleOf<'withdraw'>): Promise<void> {
    const { region, key: wanted, emergency, early } = trouble;
    const key = this.#findKey(region, wanted);
    if (key === undefined) return;
    const { sacrificed } = this.world.watch;
    if (emergency) sacrificed.add(key.kid);
    const nexts = this.world.store.keys.filter(
      (other) => other.regionId === region && other.state === 'next',
    );
    if (early) for (const { kid } of nexts) sacrificed.add(kid);
    const request = { kid: key.kid, emergency, activateEarly: early };
    await survive(() => withdrawKey(createContext(this.world, region), request));
  }

  #findKey(region: RegionId, state: string) {
    return this.world.store.keys.find((key) => key.regionId === region && key.state === state);
  }

  /** The others' configs lose the region, one after another; then it is destroyed. */
  #remove(id: RegionId): void {
    const others = regionIds.filter((other) => other !== id && !this.#leaving.has(other));
    if (others.length === 0) return;
    this.#leaving.add(id);
    others.forEach((other, index) => {
      this.#later(index * this.story.interval, () => {
        const { config } = this.world.region(other);
        config.regions = config.regions.filter((named) => named !== id);
      });
    });
    this.#later(others.length * this.story.interval, () => {
      this.world.note(`${id} is destroyed`);
      this.#removed.add(id);
      this.world.region(id).leave();
    });
  }

  /** Ends all that is wrong, and deploys what is missing. */
  #heal(): void {
    const { world } = this;
    world.note('all is well again');
    for (const region of world.regions.values()) {
      if (region.cutOff !== undefined) region.lastCutOff = world.now;
      if (region.isKmsDown) region.lastKmsOutage = world.now;
      region.cutOff = undefined;
      region.isKmsDown = false;
      region.missesRuns = false;
      region.unreachable.clear();
      region.rotationJump = 0;
      for (const clock of [...region.jwksClocks, ...region.tokenClocks]) clock.jump = 0;
    }
    this.#fates.clear();
  }
}

/** A trouble in one line. */
function describeTrouble(trouble: Trouble): string {
  const values = Object.entries(trouble)
    .filter(([name]) => name !== 'kind' && name !== 'at')
    .map(([name, value]) => `${name} ${String(value)}`);
  return [trouble.kind, ...values].join(', ');
}

/**
 * Plays a story.
 *
 * @returns the world at its end, with what was counted.
 * @throws {Violation} with what happened until then.
 */
export async function playStory(story: Story): Promise<World> {
  const play = new Play(story);
  try {
    return await play.play();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    const { publicationLead, retention } = play.world.policy;
    const times = `lead ${publicationLead} s, retention ${retention} s`;
    throw new Violation([`${error.message} (${times})`, ...play.world.log].join('\n  '));
  }
}
