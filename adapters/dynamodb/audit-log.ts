import { isDeepStrictEqual } from 'node:util';
import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { tables } from '../../contract/tables.ts';
import type {
  AuditLog,
  AuditPageReader,
  AuditReader,
  AuditRecord,
} from '../../core/audit/audit-log.ts';
import { type Item, isMap, parseItem, schemaVersion, text, toItem } from './item.ts';
import { parseItems, queryPartition } from './read-items.ts';
import { queryPageBackwards } from './read-page.ts';
import type { StoreOptions } from './store-options.ts';
import { absent, writeConditionally } from './write-item.ts';

const { partitionKey, sortKey } = tables.audit;

/** Stands in the sort key between time and id, and in neither. */
const separator = '#';

/** What management and rotation record of a state is JSON, with no bytes and no sets. */
function isJson(value: unknown): boolean {
  return isMap(value) && isDeepStrictEqual(value, toItem(value));
}

const state = v.optional(v.custom<Record<string, unknown>>(isJson, 'a map of JSON'));

const auditSchema = v.strictObject({
  day: v.pipe(v.string(), v.isoDate()),
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

function toAuditItem(record: AuditRecord): v.InferInput<typeof auditSchema> {
  return {
    day: record.time.slice(0, 'yyyy-mm-dd'.length),
    record_id: `${record.time}${separator}${record.recordId}`,
    schema_version: 1,
    time: record.time,
    actor: record.actor,
    action: record.action,
    subject: record.subject,
    outcome: record.outcome,
    before: record.before,
    after: record.after,
  };
}

function parseAuditItem(item: Item): AuditRecord {
  const { record_id, time, ...record } = parseItem(auditSchema, item, 'audit record', 'record_id');
  return {
    time,
    recordId: record_id.slice(record_id.indexOf(separator) + 1),
    actor: record.actor,
    action: record.action,
    subject: record.subject,
    outcome: record.outcome,
    before: record.before,
    after: record.after,
  };
}

/** The audit in DynamoDB: each record once, in a partition for each UTC day, never changed. */
export function createDynamoDbAuditLog(
  dynamodb: DynamoDBDocument,
  table: string,
  store: StoreOptions = {},
): AuditLog & AuditReader & AuditPageReader {
  return {
    appendAudit: async (record) => {
      const input = { TableName: table, Item: toAuditItem(record), ...absent(partitionKey) };
      await writeConditionally({
        doing: `append audit record "${record.recordId}"`,
        conflict: 'there is a record of this time and id',
        send: () => dynamodb.put(input),
        // The id is this writer's own, and writers of the audit may not read it.
        wasDone: () => Promise.resolve(true),
      });
    },
    readAudit: ({ day, limit, after }) =>
      queryPageBackwards(
        dynamodb,
        { table, partitionKey, sortKey, value: day, limit, after, parse: parseAuditItem },
        store,
      ),
    listAudit: (day, options = {}) =>
      parseItems(
        queryPartition(dynamodb, { table, partitionKey, value: day }, store, options),
        parseAuditItem,
        store,
      ),
  };
}
