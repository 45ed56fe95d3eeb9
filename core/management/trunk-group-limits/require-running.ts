import { RefusedError } from '../../errors.ts';
import { describeStops } from '../../stops.ts';
import type { ManagementContext } from '../management-context.ts';

/** As it is now: `find` may remember what it found before. That one throws for one that cannot be read. */
export async function readLimitsNow({ trunkGroupLimits: all }: ManagementContext, group: string) {
  return (await all.findEach([group])).get(group) ?? all.find(group);
}

/**
 * Nothing is made in a trunk group that is stopped, also not by the staff.
 *
 * @throws {RefusedError} if one is stopped.
 */
export async function requireRunning(
  context: ManagementContext,
  groups: readonly string[],
): Promise<void> {
  const found = await Promise.all(groups.map((group) => readLimitsNow(context, group)));
  for (const { serviceTrunkGroup: group, stops } of found) {
    if (stops === undefined) continue;
    const texts = describeStops(stops, context.nameActor);
    throw new RefusedError(`nothing can be made in ${group}, which is ${texts.join('; ')}`);
  }
}
