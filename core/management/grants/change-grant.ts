import { maxGrantListBytes } from '../../../contract/limits.ts';
import { NotFoundError, RefusedError } from '../../errors.ts';
import {
  type Grant,
  type GrantList,
  replaceGrant,
  sizeOfGrants,
  withoutGrants,
} from '../../identity-provider/grant.ts';
import { checkVersion } from '../if-version.ts';
import { type ManagementContext, makeAuditedChange } from '../management-context.ts';

/** What a grant becomes, and what it is compared with. */
interface GrantChange {
  readonly grant: Grant;
  readonly overlaps: (value: string, other: string) => boolean;
  readonly seen: { readonly ifVersion?: number | undefined };
}

/**
 * The list with a grant.
 *
 * @throws {NotFoundError} if a grant is withdrawn that does not exist.
 * @throws {RefusedError} if it overlaps with another, or the list is full.
 * @throws {ConflictError} if the list is not the one that the caller has seen.
 */
export function planGrant(
  { now, before }: { readonly now: number; readonly before: GrantList },
  { grant, overlaps, seen: { ifVersion } }: GrantChange,
): GrantList {
  const { place, grants, version } = before;
  checkVersion(`what is granted at ${place}`, ifVersion, version);
  const { value, trunkGroups } = grant;
  if (trunkGroups.length === 0 && !grants.some((one) => one.value === value)) {
    throw new NotFoundError('grant', value);
  }
  const others = grants.filter((one) => one.value !== value);
  const other = others.find((one) => overlaps(value, one.value));
  if (other !== undefined) {
    throw new RefusedError(
      `${JSON.stringify(value)} overlaps with ${JSON.stringify(other.value)}, which is granted to ${other.trunkGroups.join(', ')}; withdraw that grant first, or add the trunk groups to it`,
    );
  }
  const after = replaceGrant(grants, grant);
  const size = sizeOfGrants(after);
  if (size > maxGrantListBytes && trunkGroups.length > 0) {
    throw new RefusedError(
      `the grants at ${place} would have ${size} bytes; allowed: at most ${maxGrantListBytes}. Grant a prefix in place of its client ids, or withdraw what is not needed`,
    );
  }
  return { ...before, grants: after, version: version + 1, updatedAt: now };
}

/**
 * A grant as the audit describes it. Trunk groups of which all are a caller's see the record, so it has
 * no version: that would count the changes of others.
 */
function viewGrant({ place }: GrantList, grant: Grant | undefined) {
  if (grant === undefined) return undefined;
  return { place, value: grant.value, service_trunk_groups: grant.trunkGroups };
}

/** Writes a list in which the grant of a value is another one. */
export async function writeGrant(
  context: ManagementContext,
  lists: { readonly before: GrantList; readonly after: GrantList },
  value: string,
): Promise<void> {
  const { before, after } = lists;
  const grantIn = ({ grants }: GrantList) => grants.find((one) => one.value === value);
  await makeAuditedChange(
    context,
    {
      action: `${after.kind}_grant.set`,
      subject: after.place,
      before: viewGrant(before, grantIn(before)),
      after: viewGrant(after, grantIn(after)),
    },
    () => context[`${after.kind}Grants`].put(after),
  );
}

/**
 * The grants that a caller may see: those of its own trunk groups, without the names of others. The
 * version and the time of the list would tell a limited caller what others have.
 */
export function showGrants(
  { trunkGroups: reach }: Pick<ManagementContext, 'trunkGroups'>,
  list: GrantList,
): GrantList {
  if (reach === undefined) return list;
  const { kind, place } = list;
  const grants = list.grants.map(({ value, trunkGroups }) => ({
    value,
    trunkGroups: trunkGroups.filter((group) => reach.includes(group)),
  }));
  const shown = grants.filter(({ trunkGroups }) => trunkGroups.length > 0);
  return { ...withoutGrants(kind, place), grants: shown };
}
