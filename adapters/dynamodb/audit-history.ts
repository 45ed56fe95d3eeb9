import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { deployedRegions } from '../../contract/deployment-config.ts';
import type { ManagementConfig } from '../../contract/management/management-config.ts';
import { deployedTableName, tables } from '../../contract/tables.ts';
import type { AuditHistoryReader } from '../../core/audit/audit-log.ts';
import { UnavailableError } from '../../core/errors.ts';
import type { AwsClientOptions } from '../aws-client-options.ts';
import { callAws } from '../aws-errors.ts';
import { parseAuditItem } from './audit-item.ts';
import { createDynamoDbClient } from './dynamodb-client.ts';
import type { Item } from './item.ts';
import { parseOrReport } from './read-items.ts';
import type { StoreOptions } from './store-options.ts';

const { partitionKey } = tables.audit;

/** Why a region's audit cannot be read, if that is no outage. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['AccessDeniedException', 'the caller may not read it'],
  ['ResourceNotFoundException', 'it does not exist'],
]);

function explain(awsRegion: string, error: unknown): unknown {
  const reason = error instanceof Error ? reasons.get(error.name) : undefined;
  if (reason === undefined) return error;
  return new UnavailableError(`could not read the audit in ${awsRegion}: ${reason}`, {
    cause: error,
  });
}

/** Every record of a day that is about an id. DynamoDB leaves the others out. */
async function queryDay(
  dynamodb: DynamoDBDocument,
  { table, awsRegion }: { readonly table: string; readonly awsRegion: string },
  day: string,
  id: string,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await callAws(`read the audit in ${awsRegion}`, () =>
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

export interface AuditHistoryOptions {
  readonly config: ManagementConfig;
  readonly aws: AwsClientOptions;
  /** The client of the own region. */
  readonly dynamodb: DynamoDBDocument;
}

/** The audits of all regions. A client of another region is created when it is first needed. */
export function openAuditHistory({
  config,
  aws,
  dynamodb,
}: AuditHistoryOptions): (store: StoreOptions) => AuditHistoryReader {
  const regions = deployedRegions(config);
  const table = deployedTableName(config, 'audit');
  const clients = new Map<string, DynamoDBDocument>();
  const clientOf = async (awsRegion: string) => {
    if ((await dynamodb.config.region()) === awsRegion) return dynamodb;
    const client = clients.get(awsRegion) ?? createDynamoDbClient({ ...aws, region: awsRegion });
    clients.set(awsRegion, client);
    return client;
  };
  return (store) => ({
    regions: regions.map(({ id }) => id),
    readHistory: async (region, day, id) => {
      const { awsRegion = '' } = regions.find((one) => one.id === region) ?? {};
      try {
        const items = await queryDay(await clientOf(awsRegion), { table, awsRegion }, day, id);
        return items.flatMap((item) => parseOrReport(item, parseAuditItem, store) ?? []);
      } catch (error) {
        throw explain(awsRegion, error);
      }
    },
  });
}
