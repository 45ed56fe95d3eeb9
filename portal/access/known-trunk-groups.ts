import { isTrunkGroup, trunkGroupHelp } from '../../contract/management/rules.ts';
import { type Problems, unlessDenied } from '../forms/problems.ts';
import type { RequestContext } from '../request-context.ts';

/** More than these are found faster by typing. */
const maxChoices = 50;

type OwnedPage = Promise<{
  readonly items: readonly { readonly serviceTrunkGroup: string }[];
  readonly nextCursor?: string | undefined;
}>;

/**
 * The groups of a list that is complete. The first page of a longer one would be a random part, and
 * one that AWS does not let the portal read names none.
 */
async function groupsOf(list: OwnedPage): Promise<readonly string[]> {
  const page = await unlessDenied(list);
  if (page === undefined || page.nextCursor !== undefined) return [];
  return page.items.map(({ serviceTrunkGroup }) => serviceTrunkGroup);
}

/**
 * The trunk groups that a person can choose from: the person's own, or, with access to every group,
 * those that have limits and, in a deployment of few clients, those that have anything.
 *
 * @param limits the first page of them, if it was read.
 * @returns undefined if there are none or too many, so that the group is typed.
 */
export async function findKnownTrunkGroups(
  { person, management }: Pick<RequestContext, 'person' | 'management'>,
  limits?: OwnedPage,
): Promise<readonly string[] | undefined> {
  if (person.trunkGroups !== undefined) return person.trunkGroups;
  const found = await Promise.all([
    groupsOf(limits ?? management.listTrunkGroupLimits()),
    groupsOf(management.listClients()),
    groupsOf(management.listApiKeys({ withLastUse: false })),
  ]);
  const groups = [...new Set(found.flat())].toSorted();
  return groups.length === 0 || groups.length > maxChoices ? undefined : groups;
}

/**
 * What is wrong with a trunk group that a person typed; undefined if it is allowed.
 *
 * @param field of the page that it was typed into.
 */
export function findTrunkGroupProblems(group: string, field: string): Problems | undefined {
  if (isTrunkGroup(group)) return undefined;
  const message = `Received ${JSON.stringify(group.slice(0, 80))}; allowed: ${trunkGroupHelp}.`;
  return { status: 422, fields: [{ field, message }] };
}
