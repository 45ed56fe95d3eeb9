/** The third-party facts of README's comparison: each is followed by its month and its source. */
const fact = /([^|]+) \(\[(\d{4}-\d\d)\]\((\S+?)\)\)(?= \|)/g;

/** A cell of README's comparison about another product. */
export interface Fact {
  readonly topic: string;
  readonly text: string;
  /** The month in which someone read it there, e.g. `2026-11`. */
  readonly month: string;
  readonly source: string;
}

/** @param table in Markdown, whose first column names the topics. */
export function readFacts(table: string): readonly Fact[] {
  return table.split('\n').flatMap((row) => {
    const topic = row.split(' | ')[0]?.replace(/^\| /, '') ?? '';
    return [...row.matchAll(fact)].map(([, text = '', month = '', source = '']) => ({
      topic,
      text: text.trim(),
      month,
      source,
    }));
  });
}

const yearMs = 365 * 86_400_000;

/** The cells that no one has read again for a year. @param now milliseconds since the epoch. */
export function findOldFacts(facts: readonly Fact[], now: number): readonly string[] {
  return facts
    .filter(({ month }) => now - Date.parse(month) > yearMs)
    .map(({ topic, text, month, source }) => `${topic}, ${text}: read in ${month} at ${source}`);
}
