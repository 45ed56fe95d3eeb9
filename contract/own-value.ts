/**
 * The value that a table has for what a caller sends as a name. Indexed by such a text, an object also
 * has what every object inherits, such as `constructor`; and not each object of JSON can be made a text.
 *
 * @returns undefined for what is no text, and for a name that is not the table's own.
 */
export function ownValue<T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
}
