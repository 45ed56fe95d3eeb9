import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { type AuditRecord, auditPosition } from '../../../core/audit/audit-log.ts';
import { type Item, isMap, parseItem, schemaVersion, text, toItem } from './item.ts';

/** Management and rotation record a state as JSON, without bytes and sets. */
function isJson(value: unknown): boolean {
  return isMap(value) && isDeepStrictEqual(value, toItem(value));
}

const state = v.optional(v.custom<Record<string, unknown>>(isJson, 'a map of JSON'));

export const auditSchema = v.strictObject({
  /** `2026-11-20`, or `2026-11-20#tg-1001`: see {@link groupPartition}. */
  day: v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\d(?:#.+)?$/s)),
  record_id: text,
  schema_version: schemaVersion,
  time: text,
  actor: v.pipe(v.string(), v.maxLength(2048)),
  action: text,
  subject: v.pipe(v.string(), v.maxLength(2048)),
  outcome: v.picklist(['intended', 'done', 'failed']),
  before: state,
  after: state,
});

/** The partition of what is about a trunk group on a day. Each record there is also in that of the day. */
export function groupPartition(day: string, serviceTrunkGroup: string): string {
  return `${day}#${serviceTrunkGroup}`;
}

export function toAuditItem({ recordId, ...record }: AuditRecord) {
  return {
    ...record,
    day: record.time.slice(0, 'yyyy-mm-dd'.length),
    record_id: auditPosition({ recordId, ...record }),
    schema_version: 1,
  } satisfies v.InferInput<typeof auditSchema>;
}

export function parseAuditItem(item: Item): AuditRecord {
  const {
    day: _day,
    schema_version: _version,
    record_id,
    ...record
  } = parseItem(auditSchema, item, 'audit record', 'record_id');
  return { recordId: record_id.slice(record_id.indexOf('#') + 1), ...record };
}
