import type { ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import { maxExaminedItems } from '../../../contract/bounds.ts';
import { importedIdAttribute, trunkGroupIndex } from '../../../contract/tables.ts';
import { ServiceUnavailableError } from '../../../core/errors.ts';
import type { OwnedItemsQuery, StorePage, StorePageQuery } from '../../../core/paging.ts';
import { callAws } from '../../aws-errors.ts';
import type { CountedPage, DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import { type Item, isMap } from '../items/item.ts';
import { type KeyedKind, parseOrReport, type StoreOptions } from '../stores/read-items.ts';

/**
 * A condition on an attribute: it exists, does not, or has one of these values, of which DynamoDB
 * takes 100.
 */
export interface Condition {
  readonly path: readonly string[];
  readonly values?: readonly string[] | undefined;
  readonly isAbsent?: boolean | undefined;
}

type Filter = Pick<
  ScanCommandInput,
  'FilterExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** The conditions as a filter that DynamoDB applies, so items that do not match are not sent. */
function createFilter(conditions: readonly Condition[]): Filter {
  if (conditions.length === 0) return {};
  const names: Record<string, string> = {};
  const values: Record<string, string> = {};
  const terms = conditions.map((condition, index) => {
    const path = condition.path.map((part, depth) => {
      const name = `#f${index}_${depth}`;
      names[name] = part;
      return name;
    });
    if (condition.values === undefined) {
      return `attribute_${condition.isAbsent ? 'not_' : ''}exists(${path.join('.')})`;
    }
    const operands = condition.values.map((value, place) => {
      const name = `:f${index}_${place}`;
      values[name] = value;
      return name;
    });
    const test = operands.length === 1 ? `= ${operands[0]}` : `IN (${operands.join(', ')})`;
    return `${path.join('.')} ${test}`;
  });
  return {
    FilterExpression: terms.join(' AND '),
    ExpressionAttributeNames: names,
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

/** Whether an item that was read meets a condition. */
export function meets(item: Item, { path, values, isAbsent = false }: Condition): boolean {
  const value = path.reduce<unknown>(
    (inner, part) => (isMap(inner) ? inner[part] : undefined),
    item,
  );
  if (values === undefined) return (value === undefined) === isAbsent;
  return values.some((allowed) => allowed === value);
}

/** Filters of every list of clients and API keys. */
export function ownedItemsConditions({ trunkGroups, enabled }: OwnedItemsQuery): Condition[] {
  return [
    ...(trunkGroups === undefined ? [] : [{ path: ['service_trunk_group'], values: trunkGroups }]),
    ...(enabled === undefined ? [] : [{ path: ['stops'], isAbsent: enabled }]),
  ];
}

/** One page of clients or API keys. */
export interface ListRequest<T extends object>
  extends Pick<KeyedKind<T>, 'table' | 'partitionKey' | 'parse'> {
  readonly query: OwnedItemsQuery;
  readonly conditions: readonly Condition[];
  /** What a text is searched in, next to the id and the name. */
  readonly textsOf?: ((item: Item) => readonly unknown[]) | undefined;
  readonly matches?: ((parsed: T) => boolean) | undefined;
  /** Whether items are left out whose id or name has the text: they were found in the index. */
  readonly skipsNames?: boolean | undefined;
}

export function textOf(key: Item | undefined, attribute: string): string | undefined {
  return key?.[attribute] as string | undefined;
}

/** Whether one of the texts contains another, in any case. */
export function isIn(searched: string | undefined, texts: readonly unknown[]): boolean {
  if (searched === undefined) return true;
  return texts.some(
    (text) => typeof text === 'string' && text.toLowerCase().includes(searched.toLowerCase()),
  );
}

/** The id of an item: its key, or that of an imported client. */
export function idOf(item: Item, partitionKey: string): unknown {
  return item[importedIdAttribute] ?? item[partitionKey];
}

/** Whether the id or the name of an item contains a text. */
export function hasName<T extends object>(item: Item, { query, partitionKey }: ListRequest<T>) {
  return isIn(query.text, [idOf(item, partitionKey), item['name']]);
}

/** Whether an item contains a text. This is checked before the item is parsed. */
export function hasText<T extends object>(item: Item, list: ListRequest<T>): boolean {
  if (hasName(item, list)) return list.skipsNames !== true;
  return isIn(list.query.text, list.textsOf?.(item) ?? []);
}

/**
 * How many items are read. Without a filter, only those of the page.
 *
 * @param conditions those that leave some of the read items out.
 */
export function readLimit<T extends object>(
  { query, matches }: ListRequest<T>,
  conditions: readonly Condition[],
): number {
  const isFiltered = conditions.length > 0 || query.text !== undefined || matches !== undefined;
  return isFiltered ? maxExaminedItems : query.limit;
}

/** Makes a page of the items of one read: up to the limit, and the key for the next page. */
function takePage<T extends object>(
  page: CountedPage,
  scan: ListRequest<T>,
  store: StoreOptions,
): StorePage<T> {
  const { query, partitionKey } = scan;
  const items = page.Items ?? [];
  const taken: T[] = [];
  for (const [index, item] of items.entries()) {
    if (!hasText(item, scan)) continue;
    const parsed = parseOrReport(item, scan.parse, store);
    if (parsed === undefined || scan.matches?.(parsed) === false) continue;
    taken.push(parsed);
    const isLast = index === items.length - 1 && page.LastEvaluatedKey === undefined;
    if (taken.length === query.limit && !isLast) {
      return { items: taken, examined: index + 1, next: textOf(item, partitionKey) };
    }
  }
  const next = textOf(page.LastEvaluatedKey, partitionKey);
  return { items: taken, examined: page.ScannedCount ?? items.length, next };
}

/**
 * One page of a table, in the table's own order, from one read. DynamoDB reads at most 1 MiB at
 * once. If few items pass a filter, a page may be empty although the list continues.
 */
export async function scanPage<T extends object>(
  dynamodb: DynamoDbDocuments,
  scan: ListRequest<T>,
  store: StoreOptions,
): Promise<StorePage<T>> {
  const { partitionKey, query, conditions } = scan;
  const page = await scanPart(
    dynamodb,
    scan,
    {
      Limit: readLimit(scan, conditions),
      ExclusiveStartKey: query.after === undefined ? undefined : { [partitionKey]: query.after },
    },
    store,
  );
  return takePage(page, scan, store);
}

/** A read of at most 1 MiB of a table, of which DynamoDB sends what meets the conditions. */
export function scanPart<T extends object>(
  dynamodb: DynamoDbDocuments,
  { table, conditions }: ListRequest<T>,
  part: Pick<ScanCommandInput, 'Segment' | 'TotalSegments' | 'ExclusiveStartKey' | 'Limit'>,
  { consistentRead = false }: StoreOptions,
): Promise<CountedPage> {
  return callAws('DynamoDB', `list ${table}`, () =>
    dynamodb.scan({
      TableName: table,
      ConsistentRead: consistentRead,
      ...part,
      ...createFilter(conditions),
    }),
  );
}

/**
 * Reads the index by trunk group.
 *
 * @throws {UnavailableError} if the table has no such index, or it is still being filled.
 */
export async function readIndex<T>(table: string, doing: string, read: () => Promise<T>) {
  try {
    return await callAws('DynamoDB', `${doing} ${table}`, read);
  } catch (cause) {
    const isRefused = cause instanceof Error && cause.name === 'ValidationException';
    if (!isRefused || !/does not have the specified index|backfilling/.test(cause.message)) {
      throw cause;
    }
    const text = `could not ${doing} ${table}: its index ${trunkGroupIndex.name} cannot be used; wait until \`aws dynamodb describe-table\` says that it is ACTIVE, and deploy the stack of the tables again if they have none`;
    throw new ServiceUnavailableError('DynamoDB', text, { cause });
  }
}

/** A request for one page of a partition. */
export interface PartitionPage<T extends object>
  extends StorePageQuery,
    Pick<KeyedKind<T>, 'table' | 'partitionKey' | 'parse'> {
  readonly sortKey: string;
  readonly value: string;
  /** Whether the last item is the first one. */
  readonly backwards?: boolean;
}

/** One page of a partition, in the order of the sort key. */
export async function queryPage<T extends object>(
  dynamodb: DynamoDbDocuments,
  request: PartitionPage<T>,
  store: StoreOptions,
): Promise<StorePage<T>> {
  const { table, partitionKey, sortKey, value, after } = request;
  const page = await callAws('DynamoDB', `list ${value} of ${table}`, () =>
    dynamodb.query({
      TableName: table,
      KeyConditionExpression: '#key = :value',
      ExpressionAttributeNames: { '#key': partitionKey },
      ExpressionAttributeValues: { ':value': value },
      ScanIndexForward: request.backwards !== true,
      Limit: request.limit,
      ConsistentRead: store.consistentRead ?? false,
      ExclusiveStartKey:
        after === undefined ? undefined : { [partitionKey]: value, [sortKey]: after },
    }),
  );
  return {
    items: (page.Items ?? []).flatMap((item) => parseOrReport(item, request.parse, store) ?? []),
    examined: page.ScannedCount ?? 0,
    next: textOf(page.LastEvaluatedKey, sortKey),
  };
}
