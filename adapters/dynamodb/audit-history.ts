import { tables } from '../../contract/tables.ts';
import type { AuditHistoryReader } from '../../core/audit/audit-log.ts';
import { collect } from '../../core/collect.ts';
import { parseAuditItem } from './audit-item.ts';
import { type AuditRegionsOptions, openAuditRegions, type RegionAudit } from './audit-regions.ts';
import type { Item } from './item.ts';
import { parseItems, readPages } from './read-items.ts';
import type { StoreOptions } from './store-options.ts';

const { partitionKey } = tables.audit;

/** Every record of a day that is about an id. DynamoDB leaves the others out. */
function queryDay(
  { dynamodb, table, awsRegion }: RegionAudit,
  day: string,
  id: string,
): AsyncIterable<Item> {
  return readPages(`read the audit in ${awsRegion}`, (ExclusiveStartKey) =>
    dynamodb.query({
      TableName: table,
      KeyConditionExpression: '#day = :day',
      FilterExpression: '#subject = :id OR #before.#client = :id OR #after.#client = :id',
      ExpressionAttributeNames: {
        '#day': partitionKey,
        '#subject': 'subject',
        '#before': 'before',
        '#after': 'after',
        '#client': 'client_id',
      },
      ExpressionAttributeValues: { ':day': day, ':id': id },
      ScanIndexForward: false,
      ConsistentRead: true,
      ExclusiveStartKey,
    }),
  );
}

/** The histories in the audits of all regions. */
export function openAuditHistory(
  options: AuditRegionsOptions,
): (store: StoreOptions) => AuditHistoryReader {
  const regions = openAuditRegions(options);
  return (store) => ({
    regions: regions.ids,
    readHistory: (region, day, id) =>
      regions.read(region, (audit) =>
        collect(parseItems(queryDay(audit, day, id), parseAuditItem, store)),
      ),
  });
}
