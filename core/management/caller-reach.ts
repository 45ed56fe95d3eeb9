import { maxExaminedItems } from '../../contract/bounds.ts';
import { trunkGroups } from '../../contract/management/rules.ts';
import { findReachEntry } from '../../contract/reach.ts';
import {
  type AuditHistoryReader,
  type AuditPageReader,
  type AuditRecord,
  trunkGroupsOf,
} from '../audit/audit-log.ts';
import { limitPersonNames, platformStaff } from '../audit/person-name.ts';
import { RefusedError } from '../errors.ts';
import {
  intersect,
  intersectStored,
  limitApiKeys,
  limitClients,
  type StoreLimits,
} from './limited-stores.ts';
import type { GrantReach, ManagementContext } from './management-context.ts';
import { limitProviders } from './providers/provider-reach.ts';
import { readField } from './read-input.ts';

type IsWithin = (owned: { readonly serviceTrunkGroup: string }) => boolean;

/** Whether a record is only about what belongs to the groups. One that names no group is not. */
function isOwnRecord(record: AuditRecord, isWithin: IsWithin): boolean {
  const groups = trunkGroupsOf(record);
  const isOwn = (group: unknown) =>
    typeof group === 'string' && isWithin({ serviceTrunkGroup: group });
  return groups.length > 0 && groups.every(isOwn);
}

/**
 * Names the actors of changes for a limited caller. An AWS identity that the config gives a trunk
 * group of the caller is shown, without the number of the deployment's own account; every other one
 * is the platform's staff. A person of a portal is the subject of the login.
 */
function nameActors(
  { config, account }: Pick<ManagementContext, 'config' | 'account'>,
  groups: readonly string[],
): (record: AuditRecord) => AuditRecord {
  const nameOf = (actor: string) => {
    if (!actor.startsWith('arn:')) return actor;
    const entry = findReachEntry(config.management.reach, actor);
    if (entry?.trunkGroups.some((group) => groups.includes(group)) !== true) return platformStaff;
    const parts = actor.split(':');
    return parts[4] === account ? parts.slice(5).join(':') : actor;
  };
  return (record) => ({ ...record, actor: nameOf(record.actor) });
}

/**
 * A page depends only on the records of these groups: its length and its end. It ends
 * between two milliseconds, because positions have ids: `2026-11-20T12:00:00.123Z$` is after every
 * record of this time. So it is read until there is one record too many, or to the end of the day.
 */
function limitAudit(
  reader: AuditPageReader,
  isWithin: IsWithin,
  nameActor: (record: AuditRecord) => AuditRecord,
): AuditPageReader {
  return {
    readAudit: async ({ day, limit, after: begin }) => {
      const own: AuditRecord[] = [];
      let after = begin;
      do {
        const page = await reader.readAudit({ day, limit: maxExaminedItems, after });
        own.push(...page.items.filter((one) => isOwnRecord(one, isWithin)).map(nameActor));
        after = page.next;
        const first = own[0]?.time;
        // Records of one time are on one page, even if there are more than its limit.
        const last = own[limit]?.time;
        const next = last === first ? own.find(({ time }) => time !== first)?.time : last;
        if (last !== undefined && next !== undefined) {
          const items = own.slice(
            0,
            own.findIndex(({ time }) => time === next),
          );
          return { items, examined: items.length, next: `${next}$` };
        }
      } while (after !== undefined);
      return { items: own, examined: own.length };
    },
  };
}

function limitHistory(
  reader: AuditHistoryReader,
  isWithin: IsWithin,
  nameActor: (record: AuditRecord) => AuditRecord,
): AuditHistoryReader {
  return {
    ...reader,
    readHistory: async (...args) => {
      const records = await reader.readHistory(...args);
      return records.filter((record) => isOwnRecord(record, isWithin)).map(nameActor);
    },
  };
}

/**
 * The groups of a caller that is limited to some of those that it had. A limit can only become
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
 * Limits every operation to a set of service trunk groups, below the operations themselves: the
 * stores that they use neither find nor list nor write what belongs to another group. A limited
 * caller can look at the platform's identity providers and not change them.
 *
 * @throws {InputError} if the value is not a list of trunk groups.
 */
export function limitToTrunkGroups(
  context: ManagementContext,
  trunkGroups: unknown,
): ManagementContext {
  const groups = narrowTrunkGroups(context.trunkGroups, trunkGroups);
  const limits = { trunkGroups: groups, limitsOf: undefined };
  return limitReads({ ...context, ...limitStores(context, limits) }, context, groups);
}

function limitStores(context: ManagementContext, limits: StoreLimits) {
  return { clients: limitClients(context, limits), apiKeys: limitApiKeys(context, limits) };
}

/** @param whole the same context, whose clients are those of every group. */
function limitReads(
  context: ManagementContext,
  whole: ManagementContext,
  groups: readonly string[],
): ManagementContext {
  const isWithin: IsWithin = ({ serviceTrunkGroup }) => groups.includes(serviceTrunkGroup);
  const nameActor = nameActors(context, groups);
  return {
    ...context,
    trunkGroups: groups,
    everyClient: whole.everyClient ?? whole.clients,
    credentialEnds: {
      readEnds: (query) =>
        context.credentialEnds.readEnds({ ...query, ...intersect(query, groups) }),
    },
    identityProviders: limitProviders(context, groups),
    auditPages: limitAudit(context.auditPages, isWithin, nameActor),
    personNames: limitPersonNames(context.personNames, groups),
    auditHistory: limitHistory(context.auditHistory, isWithin, nameActor),
  };
}

/**
 * Limits a caller of the management function to trunk groups, and what its operations can grant to
 * what its own limits and those of the trunk group allow. Each store is wrapped once.
 *
 * @param trunkGroups every group if left out.
 */
export function limitCaller(
  context: ManagementContext,
  trunkGroups: readonly string[] | undefined,
  grants: GrantReach,
): ManagementContext {
  const { limits: own, hasTrunkGroupLimits } = grants;
  const trunkGroupLimits = hasTrunkGroupLimits
    ? intersectStored(context.trunkGroupLimits, own)
    : context.trunkGroupLimits;
  const limitsOf: StoreLimits['limitsOf'] = hasTrunkGroupLimits
    ? (group) => trunkGroupLimits.find(group)
    : async () => own;
  const stores = limitStores(context, { trunkGroups, limitsOf });
  const limited = { ...context, ...stores, trunkGroupLimits, grants };
  return trunkGroups === undefined ? limited : limitReads(limited, context, trunkGroups);
}

/**
 * @param what is changed, at the start of a sentence.
 * @throws {RefusedError} if the caller is limited to some trunk groups.
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
