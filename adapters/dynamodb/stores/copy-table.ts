import { isDeepStrictEqual } from 'node:util';
import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import {
  signingKeyRecordTypes,
  type TableKey,
  type TableSchema,
  tables,
} from '../../../contract/tables.ts';
import { ConflictError, MalformedRecordError } from '../../../core/errors.ts';
import { parseApiKeyItem } from '../items/api-key-item.ts';
import { parseClientItem } from '../items/client-item.ts';
import {
  isGivenKeysItem,
  parseGivenKeysItem,
  parseIdentityProviderItem,
} from '../items/identity-provider-item.ts';
import type { Item } from '../items/item.ts';
import { algorithmChoiceItem, heartbeatItem, keyIntentItem } from '../items/rotation-item.ts';
import { settingItems } from '../items/setting-items.ts';
import { signingKeyItem } from '../items/signing-key-item.ts';
import { scanItems } from './read-items.ts';
import { absent, putItem } from './write-item.ts';

/** Tables that several regions share. Each region keeps its own audit. */
export type CopiedTable = Exclude<TableKey, 'audit'>;

export interface TableCopy {
  readonly table: CopiedTable;
  /** Names of the tables. */
  readonly from: string;
  readonly to: string;
  /** Only reports what would be done. */
  readonly dryRun: boolean;
}

/** The outcome for one item. */
export interface CopiedRow {
  readonly id: string;
  /**
   * `different`: the copy has another item with this id. `only there`: the copy has an item that
   * the source lacks. Neither is changed: an operator must decide.
   */
  readonly outcome: 'copied' | 'present' | 'different' | 'only there' | 'unreadable';
  readonly because?: string;
}

/** Parses by the partition that an item is in. */
function parseByType(
  kinds: readonly { readonly recordType: string; readonly parse: (item: Item) => unknown }[],
): (item: Item) => unknown {
  return (item) => {
    const type = String(item[tables.signingKeys.partitionKey]);
    const kind = kinds.find(({ recordType }) => recordType === type);
    if (kind === undefined) throw new MalformedRecordError(`unknown type of record "${type}"`);
    return kind.parse(item);
  };
}

/** An item that no function can read is not copied to a new table. */
const parsers: { readonly [T in CopiedTable]: (item: Item) => unknown } = {
  clients: parseClientItem,
  apiKeys: parseApiKeyItem,
  identityProviders: (item) =>
    isGivenKeysItem(item) ? parseGivenKeysItem(item) : parseIdentityProviderItem(item),
  signingKeys: parseByType([signingKeyItem, keyIntentItem, heartbeatItem, algorithmChoiceItem]),
  settings: parseByType(Object.values(settingItems)),
};

function keyOf(table: CopiedTable, item: Item): Record<string, string> {
  const { partitionKey, sortKey }: TableSchema = tables[table];
  const names = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  return Object.fromEntries(names.map((name) => [name, String(item[name])]));
}

function idOf(table: CopiedTable, item: Item): string {
  return Object.values(keyOf(table, item)).join('/');
}

/**
 * Whether two items have the same content. Every relevant change of an item also changes its
 * version; only a day of last use changes without it. An older heartbeat is not relevant: the next
 * replaces it.
 */
function isSame(a: Item, b: Item): boolean {
  if (a['record_type'] === signingKeyRecordTypes.heartbeat) return true;
  return a['version'] === undefined
    ? isDeepStrictEqual(a, b)
    : a['version'] === b['version'] && a['created_at'] === b['created_at'];
}

function describeDifference(source: Item, copy: Item): string {
  const shown = (item: Item) => (item['version'] as number | undefined) ?? 'none';
  return `version ${shown(source)} in the source, ${shown(copy)} in the copy`;
}

async function copyItem(
  dynamodb: DynamoDBDocument,
  { table, from, to, dryRun }: TableCopy,
  item: Item,
  copy: Item | undefined,
): Promise<CopiedRow> {
  const id = idOf(table, item);
  if (copy !== undefined) {
    return isSame(item, copy)
      ? { id, outcome: 'present' }
      : { id, outcome: 'different', because: describeDifference(item, copy) };
  }
  try {
    parsers[table](item);
  } catch (error) {
    if (!(error instanceof MalformedRecordError)) throw error;
    return { id, outcome: 'unreadable', because: error.message };
  }
  if (dryRun) return { id, outcome: 'copied' };
  try {
    await putItem(dynamodb, item, {
      table: to,
      key: keyOf(table, item),
      condition: absent(tables[table].partitionKey),
      doing: `copy "${id}" from ${from} to ${to}`,
      conflict: 'the copy has it',
    });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    return { id, outcome: 'different', because: 'another writer changed it during the copy' };
  }
  return { id, outcome: 'copied' };
}

/**
 * Copies every item of a table, byte for byte, to another table that has no item with its id.
 * Nothing is overwritten or deleted, so an interrupted run can be repeated. Items that differ, and
 * items that only the copy has, are reported.
 */
export async function* copyTable(
  dynamodb: DynamoDBDocument,
  request: TableCopy,
): AsyncGenerator<CopiedRow> {
  const consistent = { consistentRead: true };
  const copies = new Map<string, Item>();
  for await (const item of scanItems(dynamodb, request.to, consistent)) {
    copies.set(idOf(request.table, item), item);
  }
  for await (const item of scanItems(dynamodb, request.from, consistent)) {
    const id = idOf(request.table, item);
    yield await copyItem(dynamodb, request, item, copies.get(id));
    copies.delete(id);
  }
  for (const id of copies.keys()) yield { id, outcome: 'only there' };
}
