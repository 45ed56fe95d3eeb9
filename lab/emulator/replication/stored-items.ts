import { type TableSchema, tables } from '../../../contract/tables.ts';

/** Attributes in DynamoDB's JSON. */
export type Attributes = Readonly<Record<string, unknown>>;

const schemas: readonly TableSchema[] = Object.values(tables);

/** Names of a table's key attributes; empty for an unknown table. */
export function keyNames(table: string): readonly string[] {
  const schema = schemas.find(({ suffix }) => table.endsWith(`-${suffix}`));
  if (schema === undefined) return [];
  return [schema.partitionKey, ...(schema.sortKey === undefined ? [] : [schema.sortKey])];
}

/** The key among an item's attributes. */
export function keyOf(table: string, attributes: Attributes): Attributes {
  return Object.fromEntries(keyNames(table).map((name) => [name, attributes[name]]));
}

/** The beginning of an id: a table, and the known values of its key. */
export function idPrefix(table: string, keyValues: readonly unknown[]): string {
  return [table, ...keyValues.map((value) => `${JSON.stringify(value)} `)].join(' ');
}

export function idOf(table: string, attributes: Attributes): string {
  return idPrefix(table, Object.values(keyOf(table, attributes)));
}

/** In the order of the sort key, as in a Query. */
export function inOrder(table: string, items: Iterable<Attributes>): readonly Attributes[] {
  const name = keyNames(table)[1] ?? '';
  const value = (item: Attributes): string => JSON.stringify(item[name]) ?? '';
  return [...items].sort((a, b) => (value(a) < value(b) ? -1 : 1));
}
