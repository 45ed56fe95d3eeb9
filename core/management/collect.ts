/** Everything that a store lists. Array.fromAsync would need Node 22. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Orders by name for people, then by id, so that lists are stable. */
export function byNameThen<T extends { readonly name: string }>(
  id: (item: T) => string,
): (a: T, b: T) => number {
  return (a, b) => a.name.localeCompare(b.name, 'en') || (id(a) < id(b) ? -1 : 1);
}
