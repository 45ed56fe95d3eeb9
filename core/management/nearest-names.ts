/** Edits beyond which a name is no longer what somebody meant. */
const maxDistance = 4;

/** More suggestions than this help nobody. */
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

/** The names that somebody may have meant, nearest first. */
export function findNearestNames(received: string, names: readonly string[]): readonly string[] {
  const text = received.toLowerCase().slice(0, 100);
  const sharesPart = (name: string) =>
    name.split(':').some((part) => text.split(':').includes(part));
  return names
    .map((name) => ({ name, distance: editDistance(text, name) }))
    .filter(({ name, distance }) => distance <= maxDistance || sharesPart(name))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, maxSuggestions)
    .map(({ name }) => name);
}
