/** A list in which neither order nor repetition counts, and which one value stands for as well. */
function canonicalList(value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return [...new Set(items.map((item) => JSON.stringify(canonicalItem(item))))].sort();
}

function canonicalItem(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, content]) => [name, canonicalList(content)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Whether two IAM policy documents are the same but for what has no meaning: the order of
 * statements, of members and of lists, and whether a list of one value is written as a list. KMS
 * may change these when it stores a policy.
 *
 * @param text JSON; text that is no JSON is no policy.
 */
export function isSamePolicy(text: string, expected: unknown): boolean {
  try {
    return canonicalList(JSON.parse(text)).join() === canonicalList(expected).join();
  } catch {
    return false;
  }
}
