import { secondsPerDay } from '../../contract/bounds.ts';
import type { OperationInput, OperationResult } from '../../contract/management/operations.ts';
import { compareEnds } from '../credential/credential-ends.ts';
import { formatCursor, readPageRequest } from './list-query.ts';
import { currentTime, type ManagementContext } from './management-context.ts';

/** As long as the first notice is sent before the end. */
const expiresSoonWithin = 30 * secondsPerDay;

export async function listExpiring(
  context: ManagementContext,
  filter: OperationInput<'listExpiring', 'filter'> = {},
): Promise<OperationResult<'listExpiring'>> {
  const { trunkGroup } = filter;
  const now = currentTime(context);
  const { items, examined, next } = await context.credentialEnds.readEnds({
    trunkGroups: trunkGroup === undefined ? undefined : [trunkGroup],
    between: [now, now + expiresSoonWithin],
    after: readPageRequest(filter).after,
  });
  return {
    items: items.toSorted(compareEnds),
    examined,
    nextCursor: next === undefined ? undefined : formatCursor(next),
  };
}
