/** An update of single attributes, in DynamoDB's terms. */
export interface UpdateExpression {
  readonly UpdateExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues: Record<string, unknown>;
}

/** The path of an attribute and its new value. Undefined removes the attribute. */
export type AttributeChange = readonly [path: readonly string[], value: unknown];

/**
 * Placeholders are short because DynamoDB limits an expression to 4 KB. A client whose secrets all
 * changed must fit.
 */
export function toUpdateExpression(changes: readonly AttributeChange[]): UpdateExpression {
  const names = [...new Set(changes.flatMap(([path]) => path))];
  const placeOf = (path: readonly string[]): string =>
    path.map((name) => `#${names.indexOf(name).toString(36)}`).join('.');
  const removes = changes.filter(([, value]) => value === undefined).map(([path]) => placeOf(path));
  const sets: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [path, value] of changes) {
    if (value === undefined) continue;
    const token = `:${sets.length.toString(36)}`;
    values[token] = value;
    sets.push(`${placeOf(path)}=${token}`);
  }
  const clauses = [
    ...(sets.length > 0 ? [`SET ${sets.join()}`] : []),
    ...(removes.length > 0 ? [`REMOVE ${removes.join()}`] : []),
  ];
  return {
    UpdateExpression: clauses.join(' '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [placeOf([name]), name])),
    ExpressionAttributeValues: values,
  };
}
