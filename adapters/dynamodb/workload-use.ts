import * as v from 'valibot';
import { tables, workloadUseRecordType } from '../../contract/tables.ts';
import type { WorkloadUseReader, WorkloadUseRecorder } from '../../core/client/client-store.ts';
import { callAws, unlessConditionFails } from '../aws-errors.ts';
import type { DynamoDbCalls, DynamoDbDocuments } from './dynamodb-calls.ts';
import { type Item, parseItem, text, toItem } from './item.ts';
import { openRecordPartition } from './record-partition.ts';
import type { StoreOptions } from './store-options.ts';

const { partitionKey, sortKey } = tables.signingKeys;

/** It has no version: the token path writes it with one update, whose values are texts. */
export const workloadUseSchema = v.strictObject({
  record_type: v.literal(workloadUseRecordType),
  record_id: text,
  last_used_on: v.pipe(v.string(), v.isoDate()),
});

/** When an assertion authenticated a client for the last time. */
interface WorkloadUse {
  readonly clientId: string;
  /** UTC day. */
  readonly lastUsedOn: string;
}

/** @throws {MalformedRecordError} see {@link parseItem}. */
export function parseWorkloadUseItem(item: Item): WorkloadUse {
  const { record_id, last_used_on } = parseItem(workloadUseSchema, item, 'the use of', sortKey);
  return { clientId: record_id, lastUsedOn: last_used_on };
}

export function toWorkloadUseItem({ clientId, lastUsedOn }: WorkloadUse): Item {
  return toItem({
    record_type: workloadUseRecordType,
    record_id: clientId,
    last_used_on: lastUsedOn,
  } satisfies v.InferInput<typeof workloadUseSchema>);
}

/** What the token function writes: a partition of the table of signing keys. */
export function createDynamoDbWorkloadUseRecorder(
  calls: Pick<DynamoDbCalls, 'update'>,
  table: string,
): WorkloadUseRecorder {
  return {
    recordWorkloadUse: async (clientId, day, options = {}) => {
      const input = {
        TableName: table,
        Key: { [partitionKey]: workloadUseRecordType, [sortKey]: clientId },
        UpdateExpression: 'SET last_used_on = :day',
        // A clock that is behind never overwrites a later day.
        ConditionExpression: 'attribute_not_exists(last_used_on) OR last_used_on < :day',
        ExpressionAttributeValues: { ':day': day },
      };
      const doing = `record the use of an assertion of client "${clientId}"`;
      await unlessConditionFails(
        callAws('DynamoDB', doing, () => calls.update(input, { abortSignal: options.signal })),
      );
    },
  };
}

/** What management reads. A record that cannot be read is reported, and counts as none. */
export function createDynamoDbWorkloadUseReader(
  dynamodb: DynamoDbDocuments,
  table: string,
  store: StoreOptions = {},
): WorkloadUseReader {
  const partition = { table, recordType: workloadUseRecordType };
  const { findReadable } = openRecordPartition(dynamodb, partition, store);
  const parseDay = (item: Item) => parseWorkloadUseItem(item).lastUsedOn;
  return { findWorkloadUses: (clientIds) => findReadable(clientIds, parseDay) };
}
