import { deployedRegions } from '../../../contract/deployment-config.ts';
import type { ManagementConfig } from '../../../contract/management/management-config.ts';
import type { RegionId } from '../../../contract/regions.ts';
import { deployedTableName, tables } from '../../../contract/tables.ts';
import {
  type AuditHistoryReader,
  type AuditLog,
  type AuditPageReader,
  type AuditReader,
  type AuditRecord,
  auditPosition,
  filedUnder,
} from '../../../core/audit/audit-log.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { collect, type StorePage } from '../../../core/paging.ts';
import type { DynamoDbDocuments, DynamoDbRegions } from '../clients/dynamodb-calls.ts';
import { groupPartition, parseAuditItem, toAuditItem } from '../items/audit-item.ts';
import type { Item } from '../items/item.ts';
import { type PartitionPage, queryPage } from '../pages/read-page.ts';
import { itemsOfPages, parseItems, queryPartition, type StoreOptions } from './read-items.ts';
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

/** Records of each trunk group that are read at once, if a page is of many. */
const leastOfGroup = 25;

/**
 * A page of what is filed under some trunk groups. It ends where the first of their pages ends, because
 * what follows there may be newer than the rest of the others.
 */
async function readGroupsPage(
  audit: Pick<RegionAudit, 'dynamodb' | 'table'>,
  { day, limit, after, trunkGroups = [] }: Parameters<AuditPageReader['readAudit']>[0],
  store: StoreOptions,
): Promise<StorePage<AuditRecord>> {
  const most = Math.max(leastOfGroup, Math.ceil(limit / trunkGroups.length));
  const pages = await Promise.all(
    trunkGroups.map((group) => {
      const value = groupPartition(day, group);
      return readAuditPage(audit, { value, limit: most, after, backwards: true }, store);
    }),
  );
  const next = pages
    .flatMap((page) => page.next ?? [])
    .toSorted()
    .at(-1);
  const items = pages
    .flatMap((page) => page.items)
    .filter((record) => next === undefined || auditPosition(record) >= next)
    .sort((a, b) => (auditPosition(a) < auditPosition(b) ? 1 : -1));
  return { items, examined: items.length, next };
}

/**
 * The audit in DynamoDB. Each record is written once and never changed: in the partition of its UTC day
 * and, if it is about a trunk group, also in that of the day and the group.
 */
export function createDynamoDbAuditLog(
  dynamodb: DynamoDbDocuments,
  table: string,
  store: StoreOptions = {},
): AuditLog & AuditReader & AuditPageReader {
  const append = (item: ReturnType<typeof toAuditItem>) =>
    writeConditionally({
      doing: `append audit record "${item.record_id}"`,
      conflict: 'there is a record of this time and id',
      send: () => dynamodb.put({ TableName: table, Item: item, ...absent(partitionKey) }),
      // Only this writer uses the id, and writers of the audit may not read it.
      wasDone: () => Promise.resolve(true),
    });
  return {
    appendAudit: async (record) => {
      const item = toAuditItem(record);
      const group = filedUnder(record);
      const filed = group === undefined ? [] : [{ ...item, day: groupPartition(item.day, group) }];
      await Promise.all([item, ...filed].map(append));
    },
    readAudit: ({ day, limit, after, trunkGroups }) =>
      trunkGroups === undefined
        ? readAuditPage({ dynamodb, table }, { value: day, limit, after, backwards: true }, store)
        : readGroupsPage({ dynamodb, table }, { day, limit, after, trunkGroups }, store),
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
  return itemsOfPages(`read the audit in ${awsRegion}`, (ExclusiveStartKey) =>
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
