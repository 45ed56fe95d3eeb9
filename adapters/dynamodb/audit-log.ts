import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { tables } from '../../contract/tables.ts';
import type { AuditLog, AuditPageReader, AuditReader } from '../../core/audit/audit-log.ts';
import { parseAuditItem, toAuditItem } from './audit-item.ts';
import { parseItems, queryPartition } from './read-items.ts';
import { queryPage } from './read-page.ts';
import type { StoreOptions } from './store-options.ts';
import { absent, writeConditionally } from './write-item.ts';

const { partitionKey, sortKey } = tables.audit;

/**
 * The audit in DynamoDB. Each record is written once, in the partition of its UTC day, and never
 * changed.
 */
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
        // Only this writer uses the id, and writers of the audit may not read it.
        wasDone: () => Promise.resolve(true),
      });
    },
    readAudit: ({ day, limit, after }) =>
      queryPage(
        dynamodb,
        {
          table,
          partitionKey,
          sortKey,
          value: day,
          limit,
          after,
          parse: parseAuditItem,
          backwards: true,
        },
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
