import { isDeepStrictEqual } from 'node:util';
import { importedIdAttribute, trunkGroupIndex } from '../../../contract/tables.ts';
import type { StorePage } from '../../../core/paging.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import type { Item } from '../items/item.ts';
import { getItems } from '../stores/get-items.ts';
import { parseOrReport, type StoreOptions } from '../stores/read-items.ts';
import { hasName, hasText, type ListRequest, meets, readIndex, readLimit } from './read-page.ts';

/** The place of an item in lists by trunk group: its group, its name, its id. */
type Position = readonly [group: string, name: string, id: string];

interface TrunkGroupPage {
  readonly trunkGroups: readonly string[];
  /** The last position of the page before. */
  readonly after: Position | undefined;
}

/** Queries at the same time, each of one trunk group. */
const queriesAtOnce = 8;

/** The order of DynamoDB's sort keys: by the bytes of UTF-8, so capital letters come first. */
function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Where an item stands by its present name. */
function positionOf(item: Item, partitionKey: string): Position {
  const { partitionKey: group, sortKey: name } = trunkGroupIndex;
  return [String(item[group]), String(item[name]), String(item[partitionKey])];
}

/** The reverse: the key of an item in the index. */
function keyOf([group, name, id]: Position, partitionKey: string): Record<string, string> {
  const { partitionKey: groupKey, sortKey: nameKey } = trunkGroupIndex;
  return { [groupKey]: group, [nameKey]: name, [partitionKey]: id };
}

/** How many items a trunk group has, up to `most`. It reads their places in the index only. */
export async function countTrunkGroup(
  dynamodb: DynamoDbDocuments,
  table: string,
  group: string,
  most: number,
): Promise<number> {
  const { name, partitionKey } = trunkGroupIndex;
  let count = 0;
  let ExclusiveStartKey: Item | undefined;
  do {
    const page = await readIndex(table, 'count a trunk group of', () =>
      dynamodb.query({
        TableName: table,
        IndexName: name,
        Select: 'COUNT',
        KeyConditionExpression: '#group = :group',
        ExpressionAttributeNames: { '#group': partitionKey },
        ExpressionAttributeValues: { ':group': group },
        Limit: most - count,
        ExclusiveStartKey,
      }),
    );
    count += page.Count ?? 0;
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined && count < most);
  return count;
}

async function queryGroup<T extends object>(
  dynamodb: DynamoDbDocuments,
  { table, partitionKey }: ListRequest<T>,
  group: string,
  { after, limit }: { readonly after: Position | undefined; readonly limit: number },
): Promise<readonly Position[]> {
  const { name, partitionKey: groupKey } = trunkGroupIndex;
  const page = await readIndex(table, 'list a trunk group of', () =>
    dynamodb.query({
      TableName: table,
      IndexName: name,
      KeyConditionExpression: '#group = :group',
      ExpressionAttributeNames: { '#group': groupKey },
      ExpressionAttributeValues: { ':group': group },
      Limit: limit,
      ExclusiveStartKey: after?.[0] === group ? keyOf(after, partitionKey) : undefined,
    }),
  );
  return (page.Items ?? []).map((item) => positionOf(item, partitionKey));
}

/** The next positions of the groups, one group after another. */
async function queryGroups<T extends object>(
  dynamodb: DynamoDbDocuments,
  list: ListRequest<T>,
  { trunkGroups, after }: TrunkGroupPage,
  limit: number,
): Promise<readonly Position[]> {
  const groups = [...new Set(trunkGroups)]
    .toSorted(compareTexts)
    .filter((group) => after === undefined || compareTexts(group, after[0]) >= 0);
  const found: Position[] = [];
  for (let index = 0; index < groups.length && found.length < limit; index += queriesAtOnce) {
    const some = groups.slice(index, index + queriesAtOnce);
    const pages = some.map((group) => queryGroup(dynamodb, list, group, { after, limit }));
    found.push(...(await Promise.all(pages)).flat());
  }
  return found.slice(0, limit);
}

/** Takes items until the page is full. */
function takePage<T extends object>(
  positions: readonly Position[],
  items: ReadonlyMap<string, Item>,
  list: ListRequest<T>,
  { store, upTo }: { readonly store: StoreOptions; readonly upTo: Position | undefined },
): StorePage<T> {
  const taken: T[] = [];
  const next = (position: Position | undefined) => position && JSON.stringify(position);
  for (const [index, position] of positions.entries()) {
    const item = items.get(position[2]);
    // The index may have it under two names for a moment: only the present one counts.
    if (item === undefined || !isDeepStrictEqual(position, positionOf(item, list.partitionKey)))
      continue;
    if (!hasText(item, list)) continue;
    if (!list.conditions.every((condition) => meets(item, condition))) continue;
    const parsed = parseOrReport(item, list.parse, store);
    if (parsed === undefined || list.matches?.(parsed) === false) continue;
    taken.push(parsed);
    const isLast = index === positions.length - 1 && upTo === undefined;
    if (taken.length === list.query.limit && !isLast) {
      return { items: taken, examined: index + 1, next: next(position), isOrdered: true };
    }
  }
  return { items: taken, examined: positions.length, next: next(upTo), isOrdered: true };
}

/**
 * One page of the items of some trunk groups, by group and then by name. The index says which they
 * are; the items themselves are read from the table, with strong consistency. What was created or
 * renamed in the last second may be missing.
 */
export async function readTrunkGroupPage<T extends object>(
  dynamodb: DynamoDbDocuments,
  list: ListRequest<T>,
  page: TrunkGroupPage,
  store: StoreOptions,
): Promise<StorePage<T>> {
  const { table, partitionKey, conditions } = list;
  const groupCondition = { path: [trunkGroupIndex.partitionKey], values: page.trunkGroups };
  const others = conditions.filter((one) => !isDeepStrictEqual(one, groupCondition));
  const most = readLimit(list, others);
  // One more than are looked at says whether there is a next page.
  const found = await queryGroups(dynamodb, list, page, most + 1);
  const hasMore = found.length > most;
  const indexed = found.slice(0, most);
  const ids = [...new Set(indexed.map(([, , id]) => id))];
  const items = await getItems(dynamodb, { table, partitionKey, ids }, store);
  const own = new Map([...items].filter(([, item]) => meets(item, groupCondition)));
  const upTo = hasMore ? indexed.at(-1) : undefined;
  return takePage(indexed, own, list, { store, upTo });
}

/**
 * Reads of 1 MiB for one search of the names, each of some 12,000. A search of more names continues
 * on the next page.
 */
const maxNameReads = 4;

interface Names {
  /** Those that have the text. */
  readonly found: readonly Position[];
  readonly examined: number;
  /** Where the rest begins; undefined if every name was read. */
  readonly next: Position | undefined;
}

/** Searches names and ids in the index of all trunk groups, which has nothing else. */
async function scanNames<T extends object>(
  dynamodb: DynamoDbDocuments,
  list: ListRequest<T>,
  after: Position | undefined,
): Promise<Names> {
  const { table, partitionKey } = list;
  const { name: IndexName, partitionKey: groupKey, sortKey: nameKey } = trunkGroupIndex;
  const found: Position[] = [];
  let [examined, next] = [0, after];
  for (let reads = 0; reads < maxNameReads; reads++) {
    const start = next && keyOf(next, partitionKey);
    const page = await readIndex(table, 'search the names of', () =>
      dynamodb.scan({
        TableName: table,
        IndexName,
        ExclusiveStartKey: start,
        ProjectionExpression: '#group, #name, #id, #imported',
        ExpressionAttributeNames: {
          '#group': groupKey,
          '#name': nameKey,
          '#id': partitionKey,
          '#imported': importedIdAttribute,
        },
      }),
    );
    examined += page.Count ?? 0;
    const names = (page.Items ?? []).filter((item) => hasName(item, list));
    found.push(...names.map((item) => positionOf(item, partitionKey)));
    next = page.LastEvaluatedKey && positionOf(page.LastEvaluatedKey, partitionKey);
    if (next === undefined) break;
  }
  return { found, examined, next };
}

/**
 * One page of the items of all trunk groups whose name or id has the text of the query. The whole
 * table costs one read of 1 MiB for 12,000 names, and the items that are found.
 */
export async function readNamedPage<T extends object>(
  dynamodb: DynamoDbDocuments,
  list: ListRequest<T>,
  after: Position | undefined,
  store: StoreOptions,
): Promise<StorePage<T>> {
  const { table, partitionKey, conditions } = list;
  const names = await scanNames(dynamodb, list, after);
  const most = readLimit(list, conditions);
  const found = names.found.slice(0, most);
  const upTo = names.found.length > most ? found.at(-1) : names.next;
  const ids = [...new Set(found.map(([, , id]) => id))];
  const items = await getItems(dynamodb, { table, partitionKey, ids }, store);
  return { ...takePage(found, items, list, { store, upTo }), examined: names.examined };
}
