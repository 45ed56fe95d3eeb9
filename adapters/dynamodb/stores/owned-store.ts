import type { OwnedQuery, OwnedRecord, OwnedStore } from '../../../core/record-store.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import type { Item } from '../items/item.ts';
import { readOwnedPage } from '../pages/owned-page.ts';
import { type ListRequest, ownedItemsConditions } from '../pages/read-page.ts';
import { countTrunkGroup } from '../pages/trunk-group-page.ts';
import {
  createFind,
  type KeyedKind,
  parseItems,
  type StoreOptions,
  scanItems,
} from './read-items.ts';
import { absent, changedMeanwhile, deleteItem, having, putItem } from './write-item.ts';

/** Clients or API keys, as far as their stores differ. */
interface OwnedKind<T> extends KeyedKind<T> {
  /** In errors: `client`, and what a failed creation means. */
  readonly noun: string;
  readonly exists: string;
  readonly idOf: (record: T) => string;
  readonly toItem: (record: T) => Item;
}

/** What a list of them also looks at. */
type OwnedFilters<T extends object> = Partial<Pick<ListRequest<T>, 'conditions' | 'textsOf'>>;

/** The request for a list of them. */
export function listOwned<T extends object>(
  kind: OwnedKind<T>,
  { matches, ...query }: OwnedQuery<T>,
  { conditions = [], textsOf }: OwnedFilters<T> = {},
) {
  const all = [...ownedItemsConditions(query), ...conditions];
  return { ...kind, query, conditions: all, matches, textsOf };
}

/** One item for each of them. */
export function openOwnedStore<T extends OwnedRecord>(
  dynamodb: DynamoDbDocuments,
  kind: OwnedKind<T>,
  store: StoreOptions,
): OwnedStore<T> {
  const { table, partitionKey, idOf, keyOf = (id) => id, parse, toItem } = kind;
  const write = (verb: string, id: string, version?: number) => ({
    table,
    key: { [partitionKey]: keyOf(id) },
    condition: version === undefined ? absent(partitionKey) : having('version', version),
    doing: `${verb} ${kind.noun} "${id}"`,
    conflict: version === undefined ? kind.exists : changedMeanwhile,
  });
  return {
    find: createFind(dynamodb, kind, store),
    create: async (record) => putItem(dynamodb, toItem(record), write('create', idOf(record))),
    replace: async (record) =>
      putItem(dynamodb, toItem(record), write('change', idOf(record), record.version - 1)),
    delete: (id, version) => deleteItem(dynamodb, write('delete', id, version)),
    readPage: (query) => readOwnedPage(dynamodb, listOwned(kind, query), store),
    count: (group, most) => countTrunkGroup(dynamodb, table, group, most),
    list: () => parseItems(scanItems(dynamodb, table, store), parse, store),
  };
}
