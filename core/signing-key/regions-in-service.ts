import type { RegionId } from '../../contract/regions.ts';
import type { Heartbeat } from './rotation-state.ts';

export interface ServiceCheck {
  /** The region that asks. */
  readonly own: RegionId;
  /** The regions that its copy of the config names. */
  readonly configured: readonly RegionId[];
  readonly heartbeats: readonly Heartbeat[];
  /** Seconds without a run after which a region that the config does not name is gone. */
  readonly silence: number;
}

/**
 * The regions whose verifiers a key must reach: those of the config that have run, and any other
 * that still runs. A deployment goes from region to region, so a region may have joined that this
 * copy of the config does not name yet; one that was taken out of the config is asked until it has
 * stopped. A region of the config that has not run yet has no verifiers.
 *
 * The time is that of the latest heartbeat, which the region that asks has just written: it needs
 * no clock of its own.
 */
export function regionsInService({
  own,
  configured,
  heartbeats,
  silence,
}: ServiceCheck): readonly RegionId[] {
  const now = Math.max(...heartbeats.map(({ at }) => at));
  const others = heartbeats
    .filter(({ regionId, at }) => configured.includes(regionId) || at + silence > now)
    .map(({ regionId }) => regionId);
  return [...new Set([own, ...others])];
}
