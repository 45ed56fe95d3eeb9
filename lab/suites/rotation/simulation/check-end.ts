import type { RegionId } from '../../../../contract/regions.ts';
import type { SigningKeyPolicy } from '../../../../contract/signing-key-policy.ts';
import { wantedAlg } from '../../../../core/key-rotation/plan.ts';
import type { Region } from './region.ts';
import type { Story } from './story.ts';
import { Violation } from './token-watch.ts';
import type { World } from './world.ts';

/** Troubles by which a key may sign for less than its period. */
const shortening: ReadonlySet<string> = new Set([
  'rotate',
  'new config',
  'withdraw',
  'sabotage',
  'KMS is down',
]);

function isUndisturbed({ troubles }: Story): boolean {
  return !troubles.some(({ kind }) => shortening.has(kind));
}

/** What must hold some time after the last trouble: every trace of it is gone. */
export function checkEnd(world: World, story: Story, removed: ReadonlySet<RegionId>): void {
  for (const region of world.regions.values()) {
    if (removed.has(region.id)) continue;
    checkKeys(world, region, longestPeriod(world.policy, story));
    checkOrphans(world, region);
    if (isUndisturbed(story)) checkPace(world, region.id);
  }
}

/**
 * How long a key may sign. The next one is published when it begins to sign, and proved some runs
 * later. After a change of algorithm it waits for the retention of two keys first.
 */
export function longestPeriod(policy: SigningKeyPolicy, story: Story): number {
  const { interval } = story;
  const proof = policy.propagationLag + policy.leeway + 4 * interval;
  const wait = isUndisturbed(story) ? 0 : 2 * (policy.retention + interval);
  const period = Math.max(policy.rotationPeriod, wait + proof + policy.publicationLead);
  return period + 2 * interval + policy.leeway;
}

function checkKeys({ store, now }: World, { id }: Region, longest: number): void {
  const inState = (state: string) =>
    store.keys.filter((key) => key.regionId === id && key.state === state);
  const [current, ...others] = inState('current');
  const [next, ...more] = inState('next');
  if (current?.activatedAt === undefined) throw new Violation(`${id} has no signing key`);
  if (next === undefined) throw new Violation(`${id} has no next key`);
  if (others.length + more.length > 0) throw new Violation(`${id} has a key too many`);
  const age = now - current.activatedAt;
  if (age > longest) {
    throw new Violation(`${id} is overdue: its key is ${age} s old`);
  }
}

/**
 * Keys of the wanted algorithm that KMS holds and no record names: the next run that makes a key would
 * have adopted them. One of another algorithm is deleted later than a story ends.
 */
function checkOrphans(world: World, { id, kms, config }: Region): void {
  const recorded = new Set(world.store.keys.map((key) => key.kmsKeyArn));
  const wanted = wantedAlg(config.algs, world.store.choice);
  const orphans = [...kms.keys.values()].filter(
    (key) => key.state === 'enabled' && key.alg === wanted && !recorded.has(key.kmsKeyArn),
  );
  if (orphans.length > 0) throw new Violation(`${id} has ${orphans.length} forgotten keys`);
}

/** However often a run is repeated, a key signs for its whole period. */
function checkPace({ store, policy }: World, id: RegionId): void {
  const starts = store.keys
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
