import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { tables } from '../../contract/tables.ts';
import type {
  AuditLog,
  AuditPageReader,
  AuditReader,
  AuditRecord,
} from '../../core/audit/audit-log.ts';
import { type Item, parseItem, schemaVersion, text, toItem } from './item.ts';
import { parseItems, queryPartition } from './read-items.ts';
import { queryPageBackwards } from './read-page.ts';
import { createSdkCalls } from './sdk-calls.ts';
import type { StoreOptions } from './store-options.ts';
import { absent, writeConditionally } from './write-item.ts';

const { partitionKey, sortKey } = tables.audit;

/** Stands in the sort key between time and id, and in neither. */
const separator = '#';

const state = v.optional(v.record(v.string(), v.unknown()));

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

function toAuditItem(record: AuditRecord): Item {
  return toItem({
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
  } satisfies v.InferInput<typeof auditSchema>);
}

function parseAuditItem(item: Item): AuditRecord {
  const what = `audit record "${item.record_id?.S ?? ''}"`;
  const { record_id, time, ...record } = parseItem(auditSchema, item, what);
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
  dynamodb: DynamoDBClient,
  table: string,
  store: StoreOptions = {},
): AuditLog & AuditReader & AuditPageReader {
  return {
    appendAudit: async (record) => {
      const command = new PutItemCommand({
        TableName: table,
        Item: toAuditItem(record),
        ...absent(partitionKey),
      });
      await writeConditionally({
        doing: `append audit record "${record.recordId}"`,
        conflict: 'there is a record of this time and id',
        send: () => dynamodb.send(command),
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
        queryPartition(
          createSdkCalls(dynamodb),
          { table, partitionKey, value: day },
          store,
          options,
        ),
        parseAuditItem,
        store,
      ),
  };
}
