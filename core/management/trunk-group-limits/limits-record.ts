import { maxServiceTrunkGroupLength } from '../../../contract/bounds.ts';
import { wireNameOf } from '../../../contract/management/fields.ts';
import type { OperationInput } from '../../../contract/management/operations.ts';
import { NotFoundError } from '../../errors.ts';
import type { StorePage, StorePageQuery } from '../../paging.ts';
import { viewStops } from '../../stops.ts';
import { formatTime } from '../../time.ts';
import {
  type Limits,
  limitNames,
  type TrunkGroupLimits,
} from '../../trunk-group/trunk-group-limits.ts';
import { requireEveryTrunkGroup } from '../caller-reach.ts';
import { checkVersion } from '../if-version.ts';
import { type Page, type PageRequest, readPageRequest, toPage } from '../list-query.ts';
import { currentTime, type ManagementContext, makeAuditedChange } from '../management-context.ts';
import { getRegisteredIssuer } from '../providers/registered-issuer.ts';
import { refuseInput } from '../read-input.ts';

/**
 * Limits with each value once. Limits that are left out are not in it.
 *
 * @throws {NotFoundError} for a provider that is not registered.
 */
export async function readLimits(context: ManagementContext, limits: Limits): Promise<Limits> {
  const { scopes, providers } = limits;
  const issuers = providers && [...new Set(providers)];
  for (const issuer of issuers ?? []) await getRegisteredIssuer(context, issuer);
  return { ...limits, scopes: scopes && [...new Set(scopes)], providers: issuers };
}

/** The limits of a trunk group as they are shown. */
export function viewTrunkGroupLimits(limits: TrunkGroupLimits): Record<string, unknown> {
  return {
    service_trunk_group: limits.serviceTrunkGroup,
    ...Object.fromEntries(limitNames.map((name) => [wireNameOf(name), limits[name]])),
    stops: viewStops(limits.stops),
    updated_at: limits.updatedAt === undefined ? undefined : formatTime(limits.updatedAt),
    version: limits.version,
  };
}

/** @throws {NotFoundError} if the caller cannot reach the trunk group. */
export function requireReachedTrunkGroup(
  { trunkGroups }: Pick<ManagementContext, 'trunkGroups'>,
  group: string,
): void {
  if (trunkGroups?.includes(group) === false) {
    throw new NotFoundError('service trunk group', group);
  }
}

/** A restricted caller sees what holds for it: what both the record and its own limits allow. */
export async function findTrunkGroupLimits(
  context: ManagementContext,
  serviceTrunkGroup: string,
): Promise<TrunkGroupLimits> {
  requireReachedTrunkGroup(context, serviceTrunkGroup);
  return context.trunkGroupLimits.find(serviceTrunkGroup);
}

/** Those of some trunk groups. Positions and sizes of pages say nothing about other groups. */
async function readOwnLimits(
  { trunkGroupLimits }: ManagementContext,
  trunkGroups: readonly string[],
  { limit, after }: StorePageQuery,
): Promise<StorePage<TrunkGroupLimits>> {
  const left = trunkGroups.toSorted().filter((group) => after === undefined || group > after);
  const groups = left.slice(0, limit);
  const found = await Promise.all(groups.map((group) => trunkGroupLimits.find(group)));
  return {
    // The config can limit a group that has no record.
    items: found.filter(
      (limits) => limits.version > 0 || limitNames.some((name) => limits[name] !== undefined),
    ),
    examined: groups.length,
    next: left.length > groups.length ? groups.at(-1) : undefined,
  };
}

export async function listTrunkGroupLimits(
  context: ManagementContext,
  filter: PageRequest = {},
): Promise<Page<TrunkGroupLimits>> {
  const request = readPageRequest(filter);
  // A position is a trunk group. DynamoDB fails for one that is too long.
  if (request.after !== undefined && request.after.length > maxServiceTrunkGroupLength) {
    refuseInput('cursor', filter.cursor, 'the nextCursor of a page');
  }
  const { trunkGroups, trunkGroupLimits } = context;
  const page =
    trunkGroups === undefined
      ? await trunkGroupLimits.readPage(request)
      : await readOwnLimits(context, trunkGroups, request);
  return toPage(page, (a, b) => (a.serviceTrunkGroup < b.serviceTrunkGroup ? -1 : 1));
}

/** Writes the next version. @param verb of the change in the audit. */
export async function writeLimits(
  context: ManagementContext,
  before: TrunkGroupLimits,
  verb: 'set' | 'stop' | 'resume',
  next: Omit<TrunkGroupLimits, 'version' | 'updatedAt'>,
): Promise<TrunkGroupLimits> {
  const version = before.version + 1;
  const after: TrunkGroupLimits = { ...next, version, updatedAt: currentTime(context) };
  await makeAuditedChange(
    context,
    {
      action: `trunk_group_limits.${verb}`,
      subject: before.serviceTrunkGroup,
      before: before.version === 0 ? undefined : viewTrunkGroupLimits(before),
      after: viewTrunkGroupLimits(after),
    },
    () => context.trunkGroupLimits.put(after),
  );
  return after;
}

export async function setTrunkGroupLimits(
  context: ManagementContext,
  group: string,
  { ifVersion, ...limits }: OperationInput<'setTrunkGroupLimits', 'limits'>,
): Promise<TrunkGroupLimits> {
  requireEveryTrunkGroup(context, 'A limit');
  const checked = await readLimits(context, limits);
  const before = await context.trunkGroupLimits.find(group);
  checkVersion(`the limits of ${group}`, ifVersion, before.version);
  const { serviceTrunkGroup, stops } = before;
  return writeLimits(context, before, 'set', { ...checked, serviceTrunkGroup, stops });
}
