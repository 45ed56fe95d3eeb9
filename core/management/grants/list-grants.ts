import { maxProviderUrlLength } from '../../../contract/limits.ts';
import type { GrantKind, GrantList } from '../../identity-provider/grant.ts';
import { type Page, type PageRequest, readPageRequest, toPage } from '../list-query.ts';
import type { ManagementContext } from '../management-context.ts';
import { refuseInput } from '../read-input.ts';
import { requireEveryTrunkGroup } from '../trunk-group-limit.ts';

export interface GrantsFilter extends PageRequest {
  readonly kind: GrantKind;
}

/**
 * One page of everything that is granted, by issuer or host.
 *
 * @throws {RefusedError} if the caller is limited to trunk groups.
 */
export async function listGrants(
  context: ManagementContext,
  filter: GrantsFilter,
): Promise<Page<GrantList>> {
  requireEveryTrunkGroup(context, 'The list of grants');
  const { kind } = filter;
  const request = readPageRequest({ limit: filter.limit, cursor: filter.cursor });
  const { after = '' } = request;
  // A position is an issuer or a host. DynamoDB fails for one that is too long.
  if (after.length > maxProviderUrlLength) refuseInput('cursor', filter.cursor, 'a nextCursor');
  const page = await context.providerGrants.readGrants(kind, request);
  return toPage(page, (a, b) => (a.place < b.place ? -1 : 1));
}
