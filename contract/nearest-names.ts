/** Maximum edits between a name and a suggestion. */
const maxDistance = 4;

/** Maximum number of suggestions. */
const maxSuggestions = 3;

/** Levenshtein distance: insertions, deletions and replacements from one text to the other. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Names that share the service or the permission, for callers who guess the other word. */
function findRelatedNames(received: string, names: readonly string[]): readonly string[] {
  const parts = received.split(':');
  return names.filter((name) => name.split(':').some((part) => parts.includes(part)));
}

/** The names that the caller may have meant, nearest first. */
export function findNearestNames(received: string, names: readonly string[]): readonly string[] {
  const text = received.toLowerCase().slice(0, 100);
  const near = names
    .filter(({ length }) => Math.abs(length - text.length) <= maxDistance)
    .map((name) => ({ name, distance: editDistance(text, name) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
  return (near.length > 0 ? near : findRelatedNames(text, names)).slice(0, maxSuggestions);
}

/** A slip of the finger in every third letter; more is another word. */
function isSlip(received: string, name: string): boolean {
  return editDistance(received.slice(0, 100), name) <= Math.ceil(name.length / 3);
}

/** The end of a message about an unknown name: what may have been meant, if there is such a name. */
export function suggestName(received: string, known: readonly string[]): string {
  const [nearest] = known
    .filter((name) => isSlip(received, name))
    .sort((one, other) => editDistance(received, one) - editDistance(received, other));
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}
