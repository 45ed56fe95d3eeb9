/** Words of DynamoDB's expressions that are no attribute. */
const keywords = new Set(['SET', 'REMOVE', 'ADD', 'DELETE', 'AND', 'OR', 'NOT', 'BETWEEN', 'IN']);

/**
 * A path of attributes, e.g. `secrets[0].hash` or `#name.x`. A value (`:x`) is no path, and neither
 * is a function, which a bracket follows.
 */
const path = /(?<![\w:#.\]])(#?[A-Za-z_][\w-]*)((?:\.[#\w-]+|\[\d+\])*)(?!\s*\(|[\w-])/g;

/** Names of the attributes at the top of the item that expressions use. */
export function expressionAttributes(
  expressions: readonly string[],
  names: Readonly<Record<string, string>>,
): readonly string[] {
  const found = expressions.flatMap((expression) =>
    [...expression.matchAll(path)].map(([, name = '']) => name),
  );
  return found
    .filter((name) => !keywords.has(name.toUpperCase()))
    .map((name) => (name.startsWith('#') ? (names[name] ?? name) : name));
}
