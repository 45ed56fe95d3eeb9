import { dailyReportRecordType, dailyRunRecordType, tables } from '../../contract/tables.ts';
import { MalformedRecordError } from '../../core/errors.ts';
import type { DailyReportStore } from '../../core/notices/daily-report.ts';
import { collect } from '../../core/paging.ts';
import {
  parseDailyReportPart,
  parseDailyStateItem,
  partPrefix,
  stateId,
  toDailyReportParts,
  toDailyStateItem,
} from './daily-report-item.ts';
import type { DynamoDbDocuments } from './dynamodb-calls.ts';
import type { Item } from './item.ts';
import { readPages } from './read-items.ts';
import { following, putItem } from './write-item.ts';

const { partitionKey, sortKey } = tables.signingKeys;

/** Items by the beginning of their ids. A Query, which auditors may make on this table. */
function queryItems(
  dynamodb: DynamoDbDocuments,
  table: string,
  [recordType, prefix]: readonly [recordType: string, prefix: string],
): Promise<readonly Item[]> {
  return collect(
    readPages('read the daily report', (ExclusiveStartKey) =>
      dynamodb.query({
        TableName: table,
        KeyConditionExpression: '#key = :key AND begins_with(#id, :prefix)',
        ExpressionAttributeNames: { '#key': partitionKey, '#id': sortKey },
        ExpressionAttributeValues: { ':key': recordType, ':prefix': prefix },
        ConsistentRead: true,
        ExclusiveStartKey,
      }),
    ),
  );
}

/**
 * The report of the daily run in DynamoDB: a partition of the table of signing keys. Until the first
 * run of this release, the report and the state of release 0.2.0 are read; they are never written.
 */
export function createDynamoDbDailyReportStore(
  dynamodb: DynamoDbDocuments,
  table: string,
): DailyReportStore {
  return {
    readState: async () => {
      const [item] = await queryItems(dynamodb, table, [dailyRunRecordType, stateId]);
      if (item !== undefined) return parseDailyStateItem(item);
      const [old] = await queryItems(dynamodb, table, [dailyReportRecordType, stateId]);
      return old && { ...parseDailyStateItem(old), version: 0, run: undefined };
    },
    writeState: async (state) =>
      putItem(dynamodb, toDailyStateItem(state), {
        table,
        key: { [partitionKey]: dailyRunRecordType, [sortKey]: stateId },
        condition: following(partitionKey, state.version),
        doing: 'save the daily run',
        conflict: 'another attempt is running',
      }),
    readCredentials: async (stored) => {
      const type = stored.attempt === undefined ? dailyReportRecordType : dailyRunRecordType;
      const items = await queryItems(dynamodb, table, [type, partPrefix(stored)]);
      // Those of an earlier, longer report may be after them.
      const parts = items.slice(0, stored.parts).map(parseDailyReportPart);
      const isWhole = parts.every(
        ({ time, attempt }) => time === stored.time && attempt === stored.attempt,
      );
      if (parts.length === stored.parts && isWhole) {
        return parts.flatMap(({ credentials }) => credentials);
      }
      throw new MalformedRecordError(
        'the daily report is not whole: a part of it is of another run',
      );
    },
    writeCredentials: async (stored, credentials) => {
      const parts = toDailyReportParts(stored, credentials);
      for (const Item of parts) {
        await putItem(dynamodb, Item, {
          table,
          key: { [partitionKey]: dailyRunRecordType, [sortKey]: String(Item[sortKey]) },
          condition: {
            ConditionExpression: 'attribute_not_exists(#key) OR #attempt <= :attempt',
            ExpressionAttributeNames: { '#key': partitionKey, '#attempt': 'attempt' },
            ExpressionAttributeValues: { ':attempt': stored.attempt },
          },
          doing: 'write the daily report',
          conflict: 'another attempt is running',
        });
      }
      return parts.length;
    },
  };
}
