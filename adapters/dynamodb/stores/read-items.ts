import { trunkGroupIndex } from '../../../contract/tables.ts';
import { MalformedRecordError } from '../../../core/errors.ts';
import type { PortOptions } from '../../../core/port.ts';
import { callAws } from '../../aws-errors.ts';
import type { DynamoDbCalls, DynamoDbDocuments, ItemPage } from '../clients/dynamodb-calls.ts';
import type { Item } from '../items/item.ts';

/** How a store reads. */
export interface StoreOptions {
  /**
   * Whether reads see every earlier write: for management and rotation. By default, reads are
   * eventually consistent: faster, half the price, and independent of other regions.
   */
  readonly consistentRead?: boolean | undefined;
  /** Receives each error when a list skips an item that cannot be read, and whose the item is. */
  readonly onMalformedRecord?:
    | ((error: MalformedRecordError, serviceTrunkGroup?: string) => void)
    | undefined;
  /** Whether lists use the index by trunk group. */
  readonly useIndexes?: boolean | undefined;
}

/** Finds one item by key. No error has the key: a caller may have sent a secret in its place. */
export async function findItem(
  calls: Pick<DynamoDbCalls, 'get'>,
  request: {
    readonly table: string;
    readonly key: Record<string, string>;
    readonly consistentRead?: boolean | undefined;
  },
  options: PortOptions = {},
): Promise<Item | undefined> {
  const input = {
    TableName: request.table,
    Key: request.key,
    ConsistentRead: request.consistentRead ?? false,
  };
  const output = await callAws('DynamoDB', `read an item of ${request.table}`, () =>
    calls.get(input, { abortSignal: options.signal }),
  );
  return output.Item;
}

/** Records of a table of which the id says the key. */
export interface KeyedKind<T> {
  readonly table: string;
  readonly partitionKey: string;
  readonly parse: (item: Item) => T;
  /** The key of an id, if that is not the id. */
  readonly keyOf?: (id: string) => string;
}

/** Reads the record of an id. */
export function createFind<T>(
  calls: Pick<DynamoDbCalls, 'get'>,
  kind: KeyedKind<T>,
  { consistentRead }: StoreOptions,
): (id: string, options?: PortOptions) => Promise<T | undefined> {
  const { table, partitionKey, parse, keyOf = (id) => id } = kind;
  return async (id, options) => {
    const request = { table, key: { [partitionKey]: keyOf(id) }, consistentRead };
    const item = await findItem(calls, request, options);
    return item && parse(item);
  };
}

/** The items of all pages. */
export async function* itemsOfPages(
  doing: string,
  readPage: (startKey: ItemPage['LastEvaluatedKey']) => Promise<ItemPage>,
): AsyncGenerator<Item> {
  let startKey: ItemPage['LastEvaluatedKey'];
  do {
    const page = await callAws('DynamoDB', doing, () => readPage(startKey));
    yield* page.Items ?? [];
    startKey = page.LastEvaluatedKey;
  } while (startKey !== undefined);
}

/** @param options may name a segment of the table, so that several can be read at once. */
interface ScanOptions extends PortOptions {
  readonly segment?: { readonly Segment: number; readonly TotalSegments: number };
}

/** Every item of a table, or of a segment of it, in no particular order. */
export function scanItems(
  dynamodb: DynamoDbDocuments,
  table: string,
  store: StoreOptions,
  options: ScanOptions = {},
): AsyncGenerator<Item> {
  return itemsOfPages(`list ${table}`, (startKey) =>
    dynamodb.scan(
      {
        TableName: table,
        ExclusiveStartKey: startKey,
        ConsistentRead: store.consistentRead ?? false,
        ...options.segment,
      },
      { abortSignal: options.signal },
    ),
  );
}

/** Every item of one partition, in the order of the sort key. */
export function queryPartition(
  calls: DynamoDbCalls,
  request: { readonly table: string; readonly partitionKey: string; readonly value: string },
  store: StoreOptions,
  options: PortOptions = {},
): AsyncGenerator<Item> {
  return itemsOfPages(`list ${request.value} of ${request.table}`, (startKey) =>
    calls.query(
      {
        TableName: request.table,
        KeyConditionExpression: '#key = :value',
        ExpressionAttributeNames: { '#key': request.partitionKey },
        ExpressionAttributeValues: { ':value': request.value },
        ExclusiveStartKey: startKey,
        ConsistentRead: store.consistentRead ?? false,
      },
      { abortSignal: options.signal },
    ),
  );
}

export function parseOrReport<T>(
  item: Item,
  parse: (item: Item) => T,
  store: StoreOptions,
): T | undefined {
  try {
    return parse(item);
  } catch (error) {
    if (!(error instanceof MalformedRecordError)) throw error;
    const { [trunkGroupIndex.partitionKey]: group } = item;
    store.onMalformedRecord?.(error, typeof group === 'string' ? group : undefined);
    return undefined;
  }
}

/** Parses each item of a list. An item that cannot be read is reported and skipped. */
export async function* parseItems<T extends object>(
  items: AsyncIterable<Item>,
  parse: (item: Item) => T,
  store: StoreOptions,
): AsyncGenerator<T> {
  for await (const item of items) {
    const parsed = parseOrReport(item, parse, store);
    if (parsed !== undefined) yield parsed;
  }
}
