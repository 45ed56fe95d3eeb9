/** Orders by name, then by id, so lists are stable. */
export function byNameThen<T extends { readonly name: string }>(
  id: (item: T) => string,
): (a: T, b: T) => number {
  return (a, b) => a.name.localeCompare(b.name, 'en') || (id(a) < id(b) ? -1 : 1);
}
