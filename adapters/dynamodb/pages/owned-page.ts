import * as v from 'valibot';
import {
  maxClientIdLength,
  maxExaminedItems,
  maxNameLength,
  maxServiceTrunkGroupLength,
  maxTableReads,
} from '../../../contract/limits.ts';
import { ServiceUnavailableError } from '../../../core/errors.ts';
import { refuseInput } from '../../../core/management/read-input.ts';
import type { StorePage } from '../../../core/paging.ts';
import { callAws } from '../../aws-errors.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import { textUpTo } from '../items/item.ts';
import { parseOrReport } from '../stores/read-items.ts';
import type { StoreOptions } from '../stores/store-options.ts';
import { createFilter, hasText, type ListRequest, scanPage, textOf } from './read-page.ts';
import { probeTrunkGroupIndex, readNamedPage, readTrunkGroupPage } from './trunk-group-page.ts';

const id = textUpTo(maxClientIdLength);

const inIndex = v.strictTuple([textUpTo(maxServiceTrunkGroupLength), textUpTo(maxNameLength), id]);

/** Where a list of some trunk groups continues: an item of one of them, in the index or the table. */
const positionSchema = v.pipe(v.string(), v.parseJson(), v.union([inIndex, v.strictTuple([id])]));

type Start = v.InferOutput<typeof positionSchema>;

/**
 * Where a search of every trunk group continues: in what was made just now, in the names, or in the
 * table after an item.
 */
const searchSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.union([v.strictTuple([inIndex]), inIndex, v.strictTuple([id]), v.strictTuple([])]),
);

function readStart(after: string | undefined, trunkGroups: readonly string[]): Start | undefined {
  if (after === undefined) return undefined;
  const start = v.safeParse(positionSchema, after);
  const isOwn =
    start.success && (start.output.length === 1 || trunkGroups.includes(start.output[0]));
  if (isOwn) return start.output;
  return refuseInput('cursor', after, 'the nextCursor of a page of the same list');
}

/** Whether the index is missing, is still being filled, or is out of the caller's permissions. */
function cannotUseIndex(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'AccessDeniedException') return true;
  return (
    error.name === 'ValidationException' &&
    /does not have the specified index|backfilling/.test(error.message)
  );
}

/**
 * One page from the whole table, in its own order, without the index. It ends at an item that the
 * caller may see, or at the end of the table: what it returns says nothing about other items.
 *
 * @throws {UnavailableError} if the table is too large for it.
 */
export async function scanForOwn<T extends object>(
  dynamodb: DynamoDbDocuments,
  list: ListRequest<T>,
  after: string | undefined,
  store: StoreOptions,
): Promise<StorePage<T>> {
  const { table, partitionKey, query, conditions } = list;
  if (conditions.some(({ values }) => values?.length === 0)) return { items: [], examined: 0 };
  const filter = createFilter(conditions);
  const taken: T[] = [];
  let [examined, last, start] = [0, after, after];
  for (let reads = 0; reads < maxTableReads; reads++) {
    const page = await callAws('DynamoDB', `list ${table}`, () =>
      dynamodb.scan({
        TableName: table,
        Limit: maxExaminedItems,
        ConsistentRead: store.consistentRead ?? false,
        ExclusiveStartKey: start === undefined ? undefined : { [partitionKey]: start },
        ...filter,
      }),
    );
    examined += page.Count ?? 0;
    for (const item of page.Items ?? []) {
      if (!hasText(item, list)) continue;
      const parsed = parseOrReport(item, list.parse, store);
      if (parsed === undefined || list.matches?.(parsed) === false) continue;
      // Only an item after the last one says that there is a next page.
      if (taken.length === query.limit) {
        return { items: taken, examined, next: JSON.stringify([last]) };
      }
      taken.push(parsed);
      if (list.isUnique === true) return { items: taken, examined };
      last = textOf(item, partitionKey);
    }
    start = textOf(page.LastEvaluatedKey, partitionKey);
    if (start === undefined) return { items: taken, examined };
  }
  if (taken.length > 0) return { items: taken, examined, next: JSON.stringify([last]) };
  throw new ServiceUnavailableError(
    'DynamoDB',
    `could not list ${table}: it is too large to be searched without its index, which cannot be used yet`,
  );
}

/** Of clients or API keys, what differs from one kind to the other. */
interface OwnedList<T extends object> extends ListRequest<T> {
  /** Actions of the audit that create an item or change its name. */
  readonly recentActions: readonly string[];
}

/**
 * One page of a search in every trunk group: first in all names and ids, which are in the index,
 * then in what only the items have, such as the names of a client's secrets.
 *
 * @returns undefined for a list that is no search, and if the index cannot be used.
 */
async function searchEvery<T extends object>(
  dynamodb: DynamoDbDocuments,
  list: OwnedList<T>,
  store: StoreOptions,
): Promise<StorePage<T> | undefined> {
  const { findRecent } = store;
  const { text, after, withRecent = true } = list.query;
  if (text === undefined || findRecent === undefined) return undefined;
  const start = after === undefined ? undefined : v.safeParse(searchSchema, after);
  // The search began without the index.
  if (start?.success === false) return undefined;
  const position = start?.output;
  const [first] = position ?? [];
  const afterRecent = Array.isArray(first) ? first : undefined;
  if (position !== undefined && position.length < 3 && !Array.isArray(first)) {
    const query = { ...list.query, after: first };
    const page = await scanPage(dynamodb, { ...list, query, skipsNames: true }, store);
    return { ...page, next: page.next === undefined ? undefined : JSON.stringify([page.next]) };
  }
  try {
    const page = await readNamedPage(
      dynamodb,
      list,
      {
        after: position?.length === 3 ? position : undefined,
        afterRecent,
        findRecent: withRecent ? findRecent : async () => [],
        recentActions: list.recentActions,
      },
      store,
    );
    if (list.textsOf === undefined || page.next !== undefined) return page;
    return { ...page, next: JSON.stringify([]), allNames: true };
  } catch (error) {
    if (!cannotUseIndex(error)) throw error;
    if (position === undefined) return undefined;
    return refuseInput('cursor', after, 'none: the order of the list has changed, start again');
  }
}

/**
 * One page of clients or API keys. A list that is limited to trunk groups uses their index, and so
 * does a search; other lists scan the table, as all do until the index can be used in this region.
 *
 * @throws {InputError} for a cursor of another list, and for one of a scan if the index can be used.
 */
export async function readOwnedPage<T extends object>(
  dynamodb: DynamoDbDocuments,
  list: OwnedList<T>,
  store: StoreOptions,
): Promise<StorePage<T>> {
  const { trunkGroups, after, withRecent = true } = list.query;
  if (trunkGroups === undefined) {
    return (await searchEvery(dynamodb, list, store)) ?? scanPage(dynamodb, list, store);
  }
  if (trunkGroups.length === 0) return { items: [], examined: 0 };
  const start = readStart(after, trunkGroups);
  const { findRecent } = store;
  let usesIndex = false;
  if (findRecent !== undefined) {
    const page = {
      trunkGroups,
      findRecent: withRecent ? findRecent : async () => [],
      recentActions: list.recentActions,
    };
    try {
      if (start?.length !== 1) {
        return await readTrunkGroupPage(dynamodb, list, { ...page, after: start }, store);
      }
      // A caller could otherwise scan the items of every group, page by page.
      await probeTrunkGroupIndex(dynamodb, list, trunkGroups);
      usesIndex = true;
    } catch (error) {
      if (!cannotUseIndex(error)) throw error;
    }
  }
  if (usesIndex || start?.length === 3) {
    return refuseInput('cursor', after, 'none: the order of the list has changed, start again');
  }
  return scanForOwn(dynamodb, list, start?.[0], store);
}
