import * as v from 'valibot';
import {
  maxClientIdLength,
  maxNameLength,
  maxServiceTrunkGroupLength,
  maxTableReads,
} from '../../../contract/bounds.ts';
import { ServiceUnavailableError } from '../../../core/errors.ts';
import { refuseInput } from '../../../core/management/read-input.ts';
import { readEvery, type StorePage } from '../../../core/paging.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import { type Item, textUpTo } from '../items/item.ts';
import { parseOrReport, type StoreOptions } from '../stores/read-items.ts';
import { type ListRequest, scanPage, scanPart } from './read-page.ts';
import { readNamedPage, readTrunkGroupPage } from './trunk-group-page.ts';

const id = textUpTo(maxClientIdLength);

/** Where a list of some trunk groups continues: after an item of one of them. */
const inIndex = v.strictTuple([textUpTo(maxServiceTrunkGroupLength), textUpTo(maxNameLength), id]);

/** Where a search of every trunk group continues: in the names, or in the table after an item. */
const inSearch = v.union([inIndex, v.strictTuple([id]), v.strictTuple([])]);

function readPosition<const T extends v.GenericSchema>(
  schema: T,
  after: string | undefined,
): v.InferOutput<T> | undefined {
  if (after === undefined) return undefined;
  const position = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), after);
  return position.success ? position.output : refuseCursor(after);
}

function refuseCursor(after: string): never {
  return refuseInput('cursor', after, 'the nextCursor of a page of the same list');
}

/** Segments of a table that are read at the same time. */
const segments = 4;

/**
 * The only item that meets the conditions, to which no index leads. A caller that is restricted to trunk
 * groups pays for reading its own.
 *
 * @throws {UnavailableError} if the table is too large for it.
 */
export async function findOnly<T extends object>(
  dynamodb: DynamoDbDocuments,
  list: ListRequest<T>,
  store: StoreOptions,
): Promise<StorePage<T>> {
  if (list.query.trunkGroups !== undefined && store.useIndexes) {
    for await (const found of readEvery((after) => {
      const query = { ...list.query, after, limit: 1 };
      return readOwnedPage(dynamodb, { ...list, query }, store);
    })) {
      return { items: [found], examined: 1 };
    }
    return { items: [], examined: 0 };
  }
  const found: Item[] = [];
  const search = async (segment: number): Promise<void> => {
    const part = { Segment: segment, TotalSegments: segments };
    let start: Item | undefined;
    for (let reads = 0; reads < maxTableReads / segments; reads++) {
      const page = await scanPart(dynamodb, list, { ...part, ExclusiveStartKey: start }, store);
      found.push(...(page.Items ?? []));
      start = page.LastEvaluatedKey;
      if (start === undefined || found.length > 0) return;
    }
    const text = `could not search ${list.table}: it has more than ${maxTableReads} MiB; name the client itself`;
    throw new ServiceUnavailableError('DynamoDB', text);
  };
  await Promise.all(Array.from({ length: segments }, (_, segment) => search(segment)));
  const items = found.flatMap((item) => parseOrReport(item, list.parse, store) ?? []);
  return { items, examined: items.length };
}

/**
 * One page of a search in every trunk group: first in all names and ids, which are in the index,
 * then in what only the items have, such as the names of a client's secrets.
 */
async function searchEvery<T extends object>(
  dynamodb: DynamoDbDocuments,
  list: ListRequest<T>,
  store: StoreOptions,
): Promise<StorePage<T>> {
  const position = readPosition(inSearch, list.query.after);
  const [first] = position ?? [];
  if (position !== undefined && position.length < 3) {
    const query = { ...list.query, after: first };
    const page = await scanPage(dynamodb, { ...list, query, skipsNames: true }, store);
    return { ...page, next: page.next === undefined ? undefined : JSON.stringify([page.next]) };
  }
  const after = position?.length === 3 ? position : undefined;
  const page = await readNamedPage(dynamodb, list, after, store);
  if (list.textsOf === undefined || page.next !== undefined) return page;
  return { ...page, next: JSON.stringify([]), allNames: true };
}

/**
 * One page of clients or API keys. A list that is restricted to trunk groups uses their index, and so
 * does a search; other lists scan the table, as all do for operators on the tables.
 *
 * @throws {InputError} for a cursor of another list.
 * @throws {UnavailableError} if the index cannot be used.
 */
export async function readOwnedPage<T extends object>(
  dynamodb: DynamoDbDocuments,
  list: ListRequest<T>,
  store: StoreOptions,
): Promise<StorePage<T>> {
  const { trunkGroups, text } = list.query;
  if (trunkGroups?.length === 0) return { items: [], examined: 0 };
  if (!store.useIndexes || (trunkGroups ?? text) === undefined) {
    return scanPage(dynamodb, list, store);
  }
  if (trunkGroups === undefined) return searchEvery(dynamodb, list, store);
  const after = readPosition(inIndex, list.query.after);
  if (after !== undefined && !trunkGroups.includes(after[0])) {
    refuseCursor(JSON.stringify(after));
  }
  return readTrunkGroupPage(dynamodb, list, { trunkGroups, after }, store);
}
