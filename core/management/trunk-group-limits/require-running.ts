import { RefusedError } from '../../errors.ts';
import { describeStops } from '../../stops.ts';
import type { ManagementContext } from '../management-context.ts';

/**
 * Nothing is made in a trunk group that is stopped, also not by the staff.
 *
 * @throws {RefusedError} if one is stopped.
 */
export async function requireRunning(
  { trunkGroupLimits, nameActor }: ManagementContext,
  groups: readonly string[],
): Promise<void> {
  // It is asked again after a write, and `find` may remember what it found before. That one throws if
  // a record cannot be read.
  const found = await trunkGroupLimits.findEach(groups);
  for (const group of groups) {
    const { stops } = found.get(group) ?? (await trunkGroupLimits.find(group));
    if (stops === undefined) continue;
    const texts = describeStops(stops, nameActor);
    throw new RefusedError(`nothing can be made in ${group}, which is ${texts.join('; ')}`);
  }
}
