import { deployedRegions } from '../../../contract/deployment-config.ts';
import type { ManagementConfig } from '../../../contract/management/management-config.ts';
import type { RegionId } from '../../../contract/regions.ts';
import { deployedTableName, tables } from '../../../contract/tables.ts';
import type {
  AuditHistoryReader,
  AuditLog,
  AuditPageReader,
  AuditReader,
  AuditRecord,
} from '../../../core/audit/audit-log.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { collect, type StorePage } from '../../../core/paging.ts';
import type { DynamoDbDocuments, DynamoDbRegions } from '../clients/dynamodb-calls.ts';
import { parseAuditItem, toAuditItem } from '../items/audit-item.ts';
import type { Item } from '../items/item.ts';
import { type PartitionPage, queryPage } from '../pages/read-page.ts';
import { parseItems, queryPartition, readPages, type StoreOptions } from './read-items.ts';
import { absent, writeConditionally } from './write-item.ts';

const { partitionKey, sortKey } = tables.audit;

/** One page of the records of a day. */
function readAuditPage(
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
  dynamodb: DynamoDbDocuments,
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
    listAudit: (day) =>
      parseItems(
        queryPartition(dynamodb, { table, partitionKey, value: day }, store),
        parseAuditItem,
        store,
      ),
  };
}

/** The audit of one region. */
interface RegionAudit {
  readonly dynamodb: DynamoDbDocuments;
  readonly table: string;
  readonly awsRegion: string;
}

/** The audits of all regions. */
export interface AuditRegions {
  readonly ids: readonly RegionId[];
  /** @throws {UnavailableError} if the region's audit cannot be read. */
  read<T>(region: RegionId, run: (audit: RegionAudit) => Promise<T>): Promise<T>;
}

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

export function openAuditRegions(
  config: ManagementConfig,
  { inRegion }: DynamoDbRegions,
): AuditRegions {
  const regions = deployedRegions(config);
  const table = deployedTableName(config, 'audit');
  return {
    ids: regions.map(({ id }) => id),
    read: async (region, run) => {
      const { awsRegion = '' } = regions.find((one) => one.id === region) ?? {};
      try {
        return await run({ dynamodb: await inRegion(awsRegion), table, awsRegion });
      } catch (error) {
        throw explain(awsRegion, error);
      }
    },
  };
}

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
  regions: AuditRegions,
): (store: StoreOptions) => AuditHistoryReader {
  return (store) => ({
    regions: regions.ids,
    readHistory: (region, day, id) =>
      regions.read(region, (audit) =>
        collect(parseItems(queryDay(audit, day, id), parseAuditItem, store)),
      ),
  });
}
