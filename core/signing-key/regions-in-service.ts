import type { RegionId } from '../../contract/regions.ts';
import type { Heartbeat } from './rotation-state.ts';

/**
 * A region that the config no longer names may still serve for that long, in seconds: a deployment
 * goes from region to region, and each has its own copy of the config.
 */
const afterlife = 86_400;

/**
 * The regions whose verifiers a key must reach: those of the config that have run, and any other
 * that ran lately. A region of the config that has not run yet has no verifiers.
 *
 * @param now seconds since the epoch.
 */
export function regionsInService(
  own: RegionId,
  configured: readonly RegionId[],
  heartbeats: readonly Heartbeat[],
  now: number,
): readonly RegionId[] {
  const others = heartbeats
    .filter(({ regionId, at }) => configured.includes(regionId) || at + afterlife > now)
    .map(({ regionId }) => regionId);
  return [...new Set([own, ...others])];
}
