import { tables } from '../../contract/tables.ts';
import type { AuditHistoryReader } from '../../core/audit/audit-log.ts';
import { callAws } from '../aws-errors.ts';
import { parseAuditItem } from './audit-item.ts';
import { type AuditRegionsOptions, openAuditRegions, type RegionAudit } from './audit-regions.ts';
import type { Item } from './item.ts';
import { parseOrReport } from './read-items.ts';
import type { StoreOptions } from './store-options.ts';

const { partitionKey } = tables.audit;

/** Every record of a day that is about an id. DynamoDB leaves the others out. */
async function queryDay(
  { dynamodb, table, awsRegion }: RegionAudit,
  day: string,
  id: string,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await callAws('DynamoDB', `read the audit in ${awsRegion}`, () =>
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
        ExclusiveStartKey: start,
      }),
    );
    items.push(...(page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return items;
}

/** The histories in the audits of all regions. */
export function openAuditHistory(
  options: AuditRegionsOptions,
): (store: StoreOptions) => AuditHistoryReader {
  const regions = openAuditRegions(options);
  return (store) => ({
    regions: regions.ids,
    readHistory: async (region, day, id) => {
      const items = await regions.read(region, (audit) => queryDay(audit, day, id));
      return items.flatMap((item) => parseOrReport(item, parseAuditItem, store) ?? []);
    },
  });
}
