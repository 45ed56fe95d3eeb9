import { buildTimeline, type TimelineEntry } from '../key-rotation/timeline.ts';
import { currentTime, type ManagementContext } from './management-context.ts';

/** Every signing key of every region with its state, its times and what comes next for it. */
export async function listSigningKeys(
  context: ManagementContext,
): Promise<readonly TimelineEntry[]> {
  const keys = await context.signingKeys.listSigningKeys();
  return buildTimeline(keys, context.config.signingKeyPolicy, currentTime(context));
}
