import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { tables } from '../../contract/tables.ts';
import type {
  AuditLog,
  AuditPageReader,
  AuditReader,
  AuditRecord,
} from '../../core/audit/audit-log.ts';
import type { StorePage } from '../../core/paging.ts';
import { parseAuditItem, toAuditItem } from './audit-item.ts';
import type { RegionAudit } from './audit-regions.ts';
import { parseItems, queryPartition } from './read-items.ts';
import { type PartitionPage, queryPage } from './read-page.ts';
import type { StoreOptions } from './store-options.ts';
import { absent, writeConditionally } from './write-item.ts';

const { partitionKey, sortKey } = tables.audit;

/** One page of the records of a day. */
export function readAuditPage(
  { dynamodb, table }: Pick<RegionAudit, 'dynamodb' | 'table'>,
  page: Pick<PartitionPage<AuditRecord>, 'value' | 'limit' | 'after' | 'backwards'>,
  store: StoreOptions,
): Promise<StorePage<AuditRecord>> {
  return queryPage(
    dynamodb,
    { table, partitionKey, sortKey, parse: parseAuditItem, ...page },
    store,
  );
}

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
      readAuditPage({ dynamodb, table }, { value: day, limit, after, backwards: true }, store),
    listAudit: (day, options = {}) =>
      parseItems(
        queryPartition(dynamodb, { table, partitionKey, value: day }, store, options),
        parseAuditItem,
        store,
      ),
  };
}
