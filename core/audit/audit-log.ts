import type { ManagementAnswer } from '../../contract/management/request.ts';
import type { RegionId } from '../../contract/regions.ts';
import type { StorePage, StorePageQuery } from '../paging.ts';

/** One change, made or intended. No value in it is secret. */
export type AuditRecord = ManagementAnswer['audit'][number];

function groupsOfState(state: AuditRecord['before']): readonly unknown[] {
  const { service_trunk_group: one, service_trunk_groups: several } = state ?? {};
  return Array.isArray(several) ? several : one === undefined ? [] : [one];
}

/** The trunk groups that a change is about, before and after it. */
export function trunkGroupsOf(record: Pick<AuditRecord, 'before' | 'after'>): readonly unknown[] {
  return [record.before, record.after].flatMap(groupsOfState);
}

/**
 * The trunk group that a record is filed under, if it is about any: the first of them. A caller
 * sees only records all of whose trunk groups it reaches, so one is enough.
 */
export function filedUnder(record: Pick<AuditRecord, 'before' | 'after'>): string | undefined {
  return trunkGroupsOf(record)
    .filter((group) => typeof group === 'string')
    .toSorted()[0];
}

/** Where a record is in its day: after those of earlier times. Neither part contains `#`. */
export function auditPosition({ time, recordId }: Pick<AuditRecord, 'time' | 'recordId'>): string {
  return `${time}#${recordId}`;
}

/** Append-only. The intent is written before the change, the outcome after it. */
export interface AuditLog {
  /** @throws {ConflictError} if there is a record of the same time and id. */
  appendAudit(record: AuditRecord): Promise<void>;
}

/** What `authctl audit` reads. */
export interface AuditReader {
  /**
   * The records of one UTC day in the order of their times. One that cannot be read is left out.
   *
   * @param day e.g. `2026-11-20`.
   */
  listAudit(day: string): AsyncIterable<AuditRecord>;
}

/** One page of a day's records. `after` is the time and the id of a record. */
interface AuditQuery extends StorePageQuery {
  readonly day: string;
  /** Only those that are filed under one of these trunk groups; what others do costs nothing then. */
  readonly trunkGroups?: readonly string[] | undefined;
}

/** What people read of the audit: page by page. */
export interface AuditPageReader {
  /** The records of one UTC day, the newest first. One that cannot be read is left out. */
  readAudit(query: AuditQuery): Promise<StorePage<AuditRecord>>;
}

/** What a history reads: the audits of all regions. */
export interface AuditHistoryReader {
  readonly regions: readonly RegionId[];
  /**
   * The records of one region and UTC day about an id, or about what belongs to the client with this
   * id, the newest first. One that cannot be read is left out.
   *
   * @throws {UnavailableError} if the region's audit cannot be read.
   */
  readHistory(region: RegionId, day: string, id: string): Promise<readonly AuditRecord[]>;
}

/** Actions of the audit in words. */
const actions: ReadonlyMap<string, string> = new Map([
  ['client.create', 'Created a client'],
  ['client.update', 'Changed a client'],
  ['client.enable', 'Enabled a client'],
  ['client.disable', 'Disabled a client'],
  ['client.revoke_tokens', 'Revoked the tokens of a client'],
  ['client.delete', 'Deleted a client'],
  ['client_secret.create', 'Created a secret'],
  ['client_secret.update', 'Changed a secret'],
  ['client_secret.enable', 'Enabled a secret'],
  ['client_secret.disable', 'Disabled a secret'],
  ['client_secret.rotate', 'Rotated secrets'],
  ['api_key.rotate', 'Rotated an API key'],
  ['client_secret.delete', 'Deleted a secret'],
  ['api_key.create', 'Created an API key'],
  ['api_key.update', 'Changed an API key'],
  ['api_key.enable', 'Enabled an API key'],
  ['api_key.disable', 'Disabled an API key'],
  ['api_key.delete', 'Deleted an API key'],
  ['api_key_subnet.add', 'Added a subnet'],
  ['api_key_subnet.remove', 'Removed a subnet'],
  ['identity_provider.register', 'Registered a provider'],
  ['identity_provider.stop', 'Stopped a provider, to delete it'],
  ['identity_provider.delete', 'Deleted a provider'],
  ['identity_provider.replace_keys', 'Replaced the keys of a provider'],
  ['identity_provider.set_trunk_groups', 'Changed whose a provider is'],
  ['subject_grant.set', 'Changed whose client ids at a provider are'],
  ['issuer_grant.set', 'Changed who may register an issuer'],
  ['trunk_group_limits.set', 'Set the limits of a trunk group'],
  ['person_name.delete', 'Erased a name'],
  ['signing_key.open_intent', 'Began to create a signing key'],
  ['signing_key.take_over_intent', 'Continued with a signing key'],
  ['signing_key.create_key', 'Created a signing key in KMS'],
  ['signing_key.read_public_key', 'Read the public key'],
  ['signing_key.publish', 'Published a signing key'],
  ['signing_key.close_intent', 'Finished a signing key'],
  ['signing_key.promote', 'A signing key signs'],
  ['signing_key.retire', 'A signing key stopped signing'],
  ['signing_key.withdraw', 'Withdrew a signing key'],
  ['signing_key.disable', 'Disabled a signing key'],
  ['signing_key.schedule_deletion', 'Scheduled a deletion in KMS'],
]);

/** An action in words. Another action, as of a later release, is its name. */
export function describeAction(action: string): string {
  return actions.get(action) ?? action;
}
