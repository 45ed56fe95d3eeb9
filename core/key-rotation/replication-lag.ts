import type { RegionId } from '../../contract/regions.ts';
import type { Heartbeat } from './rotation-state.ts';

/**
 * How long ago the newest write of another region that this region can see was made. That is the
 * replication lag plus up to one interval of the rotation, which writes a heartbeat in each run.
 * One other region is enough to show that writes arrive. 0 if there is no other region.
 *
 * @param heartbeats as an eventually consistent read of this region shows them.
 * @param now seconds since the epoch.
 * @returns seconds.
 */
export function replicationLag(
  own: RegionId,
  heartbeats: readonly Heartbeat[],
  now: number,
): number {
  const others = heartbeats.filter(({ regionId }) => regionId !== own).map(({ at }) => at);
  return others.length === 0 ? 0 : Math.max(0, now - Math.max(...others));
}
