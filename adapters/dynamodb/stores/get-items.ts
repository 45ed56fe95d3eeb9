import { setTimeout } from 'node:timers/promises';
import { ServiceUnavailableError } from '../../../core/errors.ts';
import { callAws } from '../../aws-errors.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import type { Item } from '../items/item.ts';
import type { StoreOptions } from './read-items.ts';

/** BatchGetItem takes so many keys. */
const maxBatch = 100;

/** A batch that DynamoDB answers in part is asked again for the rest, so many times in all. */
const maxAttempts = 5;

/** Milliseconds before the second attempt; they double with each. */
const firstPause = 20;

async function getBatch(
  dynamodb: DynamoDbDocuments,
  table: string,
  keys: readonly Record<string, string>[],
  consistentRead: boolean,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let rest: Record<string, unknown>[] = [...keys];
  for (let attempt = 1; rest.length > 0; attempt++) {
    if (attempt > maxAttempts)
      throw new ServiceUnavailableError('DynamoDB', `could not read items of ${table}`);
    if (attempt > 1) await setTimeout(firstPause * 2 ** (attempt - 2));
    const RequestItems = { [table]: { Keys: rest, ConsistentRead: consistentRead } };
    const output = await callAws('DynamoDB', `read items of ${table}`, () =>
      dynamodb.batchGet({ RequestItems }),
    );
    items.push(...(output.Responses?.[table] ?? []));
    rest = output.UnprocessedKeys?.[table]?.Keys ?? [];
  }
  return items;
}

interface ItemsRequest {
  readonly table: string;
  readonly partitionKey: string;
  readonly ids: readonly string[];
}

/**
 * Reads the items of different ids. One that does not exist is left out.
 *
 * @returns them by id.
 */
export async function getItems(
  dynamodb: DynamoDbDocuments,
  request: ItemsRequest,
  { consistentRead = false }: StoreOptions,
): Promise<ReadonlyMap<string, Item>> {
  const { table, partitionKey, ids } = request;
  const keys = ids.map((id) => ({ [partitionKey]: id }));
  const batches = Array.from({ length: Math.ceil(keys.length / maxBatch) }, (_, index) =>
    keys.slice(index * maxBatch, (index + 1) * maxBatch),
  );
  const read = batches.map((batch) => getBatch(dynamodb, table, batch, consistentRead));
  return new Map(
    (await Promise.all(read)).flat().map((item) => [String(item[partitionKey]), item]),
  );
}
