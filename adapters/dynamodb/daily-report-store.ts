import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { dailyReportRecordType, tables } from '../../contract/tables.ts';
import { collect } from '../../core/collect.ts';
import { MalformedRecordError } from '../../core/errors.ts';
import type { DailyReportStore } from '../../core/notices/daily-report.ts';
import { callAws } from '../aws-errors.ts';
import {
  parseDailyReportPart,
  parseDailyStateItem,
  partPrefix,
  stateId,
  toDailyReportParts,
  toDailyStateItem,
} from './daily-report-item.ts';
import type { Item } from './item.ts';
import { readPages } from './read-items.ts';
import { following, putItem } from './write-item.ts';

const { partitionKey, sortKey } = tables.signingKeys;

/** Items by the beginning of their ids. A Query, which auditors may make on this table. */
function queryItems(
  dynamodb: DynamoDBDocument,
  table: string,
  prefix: string,
): Promise<readonly Item[]> {
  return collect(
    readPages('read the daily report', (ExclusiveStartKey) =>
      dynamodb.query({
        TableName: table,
        KeyConditionExpression: '#key = :key AND begins_with(#id, :prefix)',
        ExpressionAttributeNames: { '#key': partitionKey, '#id': sortKey },
        ExpressionAttributeValues: { ':key': dailyReportRecordType, ':prefix': prefix },
        ConsistentRead: true,
        ExclusiveStartKey,
      }),
    ),
  );
}

/** The report of the daily run in DynamoDB: a partition of the table of signing keys. */
export function createDynamoDbDailyReportStore(
  dynamodb: DynamoDBDocument,
  table: string,
): DailyReportStore {
  return {
    readState: async () => {
      const [item] = await queryItems(dynamodb, table, stateId);
      return item === undefined ? undefined : parseDailyStateItem(item);
    },
    writeState: async (state) =>
      putItem(dynamodb, toDailyStateItem(state), {
        table,
        key: { [partitionKey]: dailyReportRecordType, [sortKey]: stateId },
        condition: following(partitionKey, state.version),
        doing: 'save the daily run',
        conflict: 'another attempt is running',
      }),
    readCredentials: async (stored) => {
      const items = await queryItems(dynamodb, table, partPrefix(stored));
      // Those of an earlier, longer report may be after them.
      const parts = items.slice(0, stored.parts).map(parseDailyReportPart);
      if (parts.length === stored.parts && parts.every(({ time }) => time === stored.time)) {
        return parts.flatMap(({ credentials }) => credentials);
      }
      throw new MalformedRecordError(
        'the daily report is not whole: a part of it is of another run',
      );
    },
    writeCredentials: async (stored, credentials) => {
      const parts = toDailyReportParts(stored, credentials);
      for (const Item of parts) {
        await callAws('DynamoDB', 'write the daily report', () =>
          dynamodb.put({ TableName: table, Item }),
        );
      }
      return parts.length;
    },
  };
}
