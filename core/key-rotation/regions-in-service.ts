import type { RegionId } from '../../contract/regions.ts';
import type { Heartbeat } from './rotation-state.ts';

export interface ServiceCheck {
  /** The region of this run. */
  readonly own: RegionId;
  /** The regions in this region's copy of the config. */
  readonly configured: readonly RegionId[];
  readonly heartbeats: readonly Heartbeat[];
  /** Seconds since its last run after which a region outside the config is out of service. */
  readonly silence: number;
}

/**
 * The regions whose verifiers a key must reach: those of the config that have run, and any other
 * that still runs. Regions are deployed one after the other, so this copy of the config may not
 * contain a region that has just joined. When a region is removed from the config, it is asked
 * until it has stopped. A region of the config that has not run yet has no verifiers.
 *
 * The present time is that of the latest heartbeat, which this region has just written. No other
 * clock is needed.
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
