import { type Item, toItem } from './item.ts';

/** An update of single attributes, in DynamoDB's terms. */
export interface UpdateExpression {
  readonly UpdateExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues: Item;
}

/** Collects changes of attributes by path. Each path is a list of attribute names. */
export interface UpdateBuilder {
  /** Sets an attribute; removes it where the value is undefined. */
  set(path: readonly string[], value: unknown): void;
  remove(path: readonly string[]): void;
  build(): UpdateExpression;
}

/**
 * Placeholders are as short as can be, since DynamoDB bounds an expression to 4 KB: a client with
 * every one of its secrets changed must fit.
 */
export function createUpdateBuilder(): UpdateBuilder {
  const names = new Map<string, string>();
  const values: Record<string, unknown> = {};
  const sets: string[] = [];
  const removes: string[] = [];

  function placeholder(name: string): string {
    const known = names.get(name) ?? `#${names.size.toString(36)}`;
    names.set(name, known);
    return known;
  }

  function place(path: readonly string[]): string {
    return path.map(placeholder).join('.');
  }

  function remove(path: readonly string[]): void {
    removes.push(place(path));
  }

  function set(path: readonly string[], value: unknown): void {
    if (value === undefined) return remove(path);
    const token = `:${sets.length.toString(36)}`;
    values[token] = value;
    sets.push(`${place(path)}=${token}`);
  }

  function build(): UpdateExpression {
    const clauses = [
      ...(sets.length > 0 ? [`SET ${sets.join()}`] : []),
      ...(removes.length > 0 ? [`REMOVE ${removes.join()}`] : []),
    ];
    return {
      UpdateExpression: clauses.join(' '),
      ExpressionAttributeNames: Object.fromEntries(
        [...names].map(([name, token]) => [token, name]),
      ),
      ExpressionAttributeValues: toItem(values),
    };
  }

  return { set, remove, build };
}
