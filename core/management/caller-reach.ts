import { maxExaminedItems } from '../../contract/bounds.ts';
import { trunkGroups } from '../../contract/management/rules.ts';
import { findReachEntry } from '../../contract/reach.ts';
import {
  type AuditHistoryReader,
  type AuditPageReader,
  type AuditRecord,
  auditPosition,
  trunkGroupsOf,
} from '../audit/audit-log.ts';
import { platformStaff, restrictPersonNames } from '../audit/person-name.ts';
import { RefusedError } from '../errors.ts';
import type { CallerLimits, ManagementContext } from './management-context.ts';
import { restrictProviders } from './providers/provider-reach.ts';
import { readField } from './read-input.ts';
import {
  intersect,
  intersectStored,
  restrictApiKeys,
  restrictClients,
  type StoreReach,
} from './stores-in-reach.ts';

type IsWithin = (owned: { readonly serviceTrunkGroup: string }) => boolean;

/** Whether a record is only about what belongs to the groups. One that names no group is not. */
function isOwnRecord(record: AuditRecord, isWithin: IsWithin): boolean {
  const groups = trunkGroupsOf(record);
  const isOwn = (group: unknown) =>
    typeof group === 'string' && isWithin({ serviceTrunkGroup: group });
  return groups.length > 0 && groups.every(isOwn);
}

/**
 * Names actors of the audit, and authors of stops, for a restricted caller. An AWS identity that the config gives a trunk
 * group of the caller is shown, without the number of the deployment's own account; every other one
 * is the platform's staff. A person of a portal is the subject of the login.
 */
function nameActors(
  { config, account }: Pick<ManagementContext, 'config' | 'account'>,
  groups: readonly string[],
): (actor: string) => string {
  return (actor) => {
    if (!actor.startsWith('arn:')) return actor;
    const entry = findReachEntry(config.management.reach, actor);
    if (entry?.trunkGroups.some((group) => groups.includes(group)) !== true) return platformStaff;
    const parts = actor.split(':');
    return parts[4] === account ? parts.slice(5).join(':') : actor;
  };
}

/**
 * A page depends only on the records of these groups: its length and its end. So it is read until
 * there is one record too many, or to the end of the day.
 */
function restrictAudit(
  reader: AuditPageReader,
  trunkGroups: readonly string[],
  nameActor: (actor: string) => string,
): AuditPageReader {
  const isWithin: IsWithin = ({ serviceTrunkGroup }) => trunkGroups.includes(serviceTrunkGroup);
  return {
    readAudit: async ({ day, limit, after: begin }) => {
      const own: AuditRecord[] = [];
      let after = begin;
      do {
        const query = { day, trunkGroups, limit: maxExaminedItems, after };
        const page = await reader.readAudit(query);
        own.push(...page.items.filter((one) => isOwnRecord(one, isWithin)));
        after = page.next;
      } while (after !== undefined && own.length <= limit);
      const items = own.slice(0, limit).map((one) => ({ ...one, actor: nameActor(one.actor) }));
      const last = own.length > limit ? items.at(-1) : undefined;
      return { items, examined: items.length, next: last && auditPosition(last) };
    },
  };
}

function restrictHistory(
  reader: AuditHistoryReader,
  isWithin: IsWithin,
  nameActor: (actor: string) => string,
): AuditHistoryReader {
  return {
    ...reader,
    readHistory: async (...args) => {
      const records = await reader.readHistory(...args);
      return records
        .filter((record) => isOwnRecord(record, isWithin))
        .map((record) => ({ ...record, actor: nameActor(record.actor) }));
    },
  };
}

/**
 * The groups of a caller that is restricted to some of those that it had. A reach can only become
 * narrower.
 *
 * @param present undefined: every group.
 * @throws {InputError} if the value is not a list of trunk groups.
 */
export function narrowTrunkGroups(
  present: readonly string[] | undefined,
  value: unknown,
): readonly string[] {
  const groups = readField('trunkGroups', trunkGroups, value);
  return intersect({ trunkGroups: groups }, present ?? groups).trunkGroups;
}

/**
 * Restricts every operation to a set of service trunk groups, below the operations themselves: the
 * stores that they use neither find nor list nor write what belongs to another group. A restricted
 * caller can look at the platform's identity providers and not change them.
 *
 * @throws {InputError} if the value is not a list of trunk groups.
 */
export function restrictToTrunkGroups(
  context: ManagementContext,
  trunkGroups: unknown,
): ManagementContext {
  const groups = narrowTrunkGroups(context.trunkGroups, trunkGroups);
  const reach = { trunkGroups: groups, limitsOf: undefined };
  return restrictReads({ ...context, ...restrictStores(context, reach) }, context, groups);
}

function restrictStores(whole: ManagementContext, reach: StoreReach) {
  const { trunkGroups } = reach;
  const context = { ...whole, nameActor: trunkGroups && nameActors(whole, trunkGroups) };
  return { clients: restrictClients(context, reach), apiKeys: restrictApiKeys(context, reach) };
}

/** @param whole the same context, whose clients are those of every group. */
function restrictReads(
  context: ManagementContext,
  whole: ManagementContext,
  groups: readonly string[],
): ManagementContext {
  const isWithin: IsWithin = ({ serviceTrunkGroup }) => groups.includes(serviceTrunkGroup);
  const nameActor = nameActors(context, groups);
  return {
    ...context,
    trunkGroups: groups,
    nameActor,
    everyClient: whole.everyClient ?? whole.clients,
    identityProviders: restrictProviders(context, groups),
    auditPages: restrictAudit(context.auditPages, groups, nameActor),
    personNames: restrictPersonNames(context.personNames, groups),
    auditHistory: restrictHistory(context.auditHistory, isWithin, nameActor),
  };
}

/**
 * Restricts a caller of the management function to trunk groups, and what its operations can give to
 * what its own limits and those of the trunk group allow. Each store is wrapped once.
 *
 * @param trunkGroups every group if left out.
 */
export function restrictCaller(
  context: ManagementContext,
  trunkGroups: readonly string[] | undefined,
  callerLimits: CallerLimits,
): ManagementContext {
  const { limits: own, hasTrunkGroupLimits } = callerLimits;
  const trunkGroupLimits = hasTrunkGroupLimits
    ? intersectStored(context.trunkGroupLimits, own)
    : context.trunkGroupLimits;
  const limitsOf: StoreReach['limitsOf'] = hasTrunkGroupLimits
    ? (group) => trunkGroupLimits.find(group)
    : async () => own;
  const stores = restrictStores(context, { trunkGroups, limitsOf });
  const restricted = { ...context, ...stores, trunkGroupLimits, callerLimits };
  return trunkGroups === undefined ? restricted : restrictReads(restricted, context, trunkGroups);
}

/**
 * @param what is changed, at the start of a sentence.
 * @throws {RefusedError} if the caller is restricted to some trunk groups.
 */
export function requireEveryTrunkGroup(
  { trunkGroups }: Pick<ManagementContext, 'trunkGroups'>,
  what: string,
): void {
  if (trunkGroups === undefined) return;
  throw new RefusedError(
    `${what} concerns every service trunk group; the caller is limited to ${trunkGroups.join(', ') || 'none'}`,
  );
}
