/**
 * The value that a table has for a text of a caller. Indexed by such a text, an object also has what
 * every object inherits, such as `constructor`.
 *
 * @returns undefined for a name that is not the table's own.
 */
export function ownValue<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
