import {
  maxLimitedItems,
  maxLimitProviders,
  maxOwnProviders,
  minTokenLifetime,
  secondsPerDay,
} from '../../../contract/limits.ts';
import { limitsFilter } from '../../../contract/management/inputs.ts';
import { NotFoundError } from '../../errors.ts';
import type { StorePage, StorePageQuery } from '../../paging.ts';
import type { GrantLimits, TrunkGroupLimits } from '../../trunk-group/trunk-group-limits.ts';
import { makeAuditedChange } from '../audited-change.ts';
import { checkVersion, type IfVersion } from '../if-version.ts';
import { parseScopeNames, parseServiceTrunkGroup } from '../input-fields.ts';
import { type Page, type PageRequest, readPageRequest, toPage } from '../list-query.ts';
import { currentTime, type ManagementContext } from '../management-context.ts';
import {
  optional,
  readBoolean,
  readFields,
  readInteger,
  readList,
  refuseInput,
} from '../read-input.ts';
import { findRegisteredIssuer } from '../registered-issuer.ts';
import { requireEveryTrunkGroup } from '../trunk-group-limit.ts';
import { limitNames, viewTrunkGroupLimits } from './limits-view.ts';

/** What the staff sets. The stored limits are replaced as a whole. */
export interface NewTrunkGroupLimits extends GrantLimits, IfVersion {}

/** Longest life of a secret that a limit can name, in seconds: a hundred years. */
const maxSecretLimit = 36_500 * secondsPerDay;

type GivenLimits = Readonly<Record<keyof GrantLimits, unknown>>;

async function parseProviders(
  context: ManagementContext,
  value: unknown,
): Promise<readonly string[]> {
  const issuers = [...new Set(readList('providers', value))];
  if (issuers.length > maxLimitProviders) {
    refuseInput('providers', `${issuers.length} providers`, `at most ${maxLimitProviders}`);
  }
  const found: string[] = [];
  for (const issuer of issuers) {
    found.push((await findRegisteredIssuer(context, issuer, 'provider')).issuer);
  }
  return found;
}

/**
 * Reads limits of any type.
 *
 * @throws {InputError} for a limit that is not allowed.
 * @throws {NotFoundError} for a provider that is not registered.
 */
export async function parseLimits(
  context: ManagementContext,
  given: GivenLimits,
): Promise<GrantLimits> {
  const { config } = context;
  const whole = (field: keyof GivenLimits, least: number, most: number) =>
    optional(given[field], (value) => readInteger(field, value, least, most));
  const { providers } = given;
  return {
    scopes: optional(given.scopes, (value) => [...new Set(parseScopeNames(config, value))]),
    maxClients: whole('maxClients', 0, maxLimitedItems),
    maxApiKeys: whole('maxApiKeys', 0, maxLimitedItems),
    maxTokenLifetime: whole('maxTokenLifetime', minTokenLifetime, config.tokenLifetime.maximum),
    maxSecretLifetime: whole('maxSecretLifetime', 1, maxSecretLimit),
    requireSubnet: optional(given.requireSubnet, (value) => readBoolean('requireSubnet', value)),
    providers: providers === undefined ? undefined : await parseProviders(context, providers),
    ownProviders: whole('ownProviders', 0, maxOwnProviders),
  };
}

/** @throws {NotFoundError} if the caller cannot reach the trunk group. */
export function parseReachedTrunkGroup(
  { trunkGroups }: Pick<ManagementContext, 'trunkGroups'>,
  value: unknown,
  field?: string,
): string {
  const group = parseServiceTrunkGroup(value, field);
  if (trunkGroups?.includes(group) === false) {
    throw new NotFoundError('service trunk group', group);
  }
  return group;
}

/**
 * The limits of a trunk group. A caller who is limited sees what holds for it: what both the record
 * and its own limits allow.
 *
 * @throws {NotFoundError} if the caller cannot reach the trunk group.
 */
export async function findTrunkGroupLimits(
  context: ManagementContext,
  serviceTrunkGroup: string,
): Promise<TrunkGroupLimits> {
  const group = parseReachedTrunkGroup(context, serviceTrunkGroup);
  return context.trunkGroupLimits.findLimits(group);
}

/** Those of some trunk groups. Positions and sizes of pages say nothing about other groups. */
async function readOwnLimits(
  { trunkGroupLimits }: ManagementContext,
  trunkGroups: readonly string[],
  { limit, after }: StorePageQuery,
): Promise<StorePage<TrunkGroupLimits>> {
  const left = trunkGroups.toSorted().filter((group) => after === undefined || group > after);
  const groups = left.slice(0, limit);
  const found = await Promise.all(groups.map((group) => trunkGroupLimits.findLimits(group)));
  return {
    // The config can limit a group that has no record.
    items: found.filter(
      (limits) => limits.version > 0 || limitNames.some((name) => limits[name] !== undefined),
    ),
    examined: groups.length,
    next: left.length > groups.length ? groups.at(-1) : undefined,
  };
}

/** One page of the trunk groups that have limits. */
export async function listTrunkGroupLimits(
  context: ManagementContext,
  filter: PageRequest = {},
): Promise<Page<TrunkGroupLimits>> {
  const request = readPageRequest(readFields('filter', filter, limitsFilter.fields));
  // A position is a trunk group. DynamoDB fails for one that is too long.
  optional(request.after, (group) => parseServiceTrunkGroup(group, 'cursor'));
  const { trunkGroups, trunkGroupLimits } = context;
  const page =
    trunkGroups === undefined
      ? await trunkGroupLimits.readLimits(request)
      : await readOwnLimits(context, trunkGroups, request);
  return toPage(page, (a, b) => (a.serviceTrunkGroup < b.serviceTrunkGroup ? -1 : 1));
}

/**
 * Replaces the limits of a trunk group. What the group already has above them stays: see
 * `checkTrunkGroupLimits`.
 *
 * @throws {InputError} for a limit that is not allowed.
 * @throws {RefusedError} if the caller is limited to trunk groups.
 * @throws {ConflictError} if they were changed in the meantime.
 */
export async function setTrunkGroupLimits(
  context: ManagementContext,
  serviceTrunkGroup: string,
  limits: NewTrunkGroupLimits,
): Promise<TrunkGroupLimits> {
  const given = readFields('limits', limits, [...limitNames, 'ifVersion']);
  requireEveryTrunkGroup(context, 'A limit');
  const group = parseServiceTrunkGroup(serviceTrunkGroup);
  const wanted = await parseLimits(context, given);
  const before = await context.trunkGroupLimits.findLimits(group);
  checkVersion(`the limits of ${group}`, given.ifVersion, before.version, 0);
  const after: TrunkGroupLimits = {
    ...wanted,
    serviceTrunkGroup: group,
    version: before.version + 1,
    updatedAt: currentTime(context),
  };
  await makeAuditedChange(
    context,
    {
      action: 'trunk_group_limits.set',
      subject: group,
      before: before.version === 0 ? undefined : viewTrunkGroupLimits(before),
      after: viewTrunkGroupLimits(after),
    },
    () => context.trunkGroupLimits.putLimits(after),
  );
  return after;
}
