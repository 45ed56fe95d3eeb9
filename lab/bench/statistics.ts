/** What several independent runs gave for one figure. */
export interface Band {
  readonly lowest: number;
  readonly median: number;
  readonly highest: number;
}

/** How a band compares with a target that it should not exceed. */
export type Outcome = 'met' | 'within the band' | 'short';

/** @returns the middle value; of an even number, the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/**
 * @param share 0.99 for the 99th percentile.
 * @returns the smallest value that at least this share of all values does not exceed; NaN if there
 * are no values.
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function bandOf(values: readonly number[]): Band {
  return { lowest: Math.min(...values), median: median(values), highest: Math.max(...values) };
}

/** A target is met by the median. It is short only if no run met it. */
export function judge({ lowest, median: middle }: Band, bound: number): Outcome {
  if (middle <= bound) return 'met';
  return lowest <= bound ? 'within the band' : 'short';
}

/**
 * The same structure with the percentile of each number. Of everything else, the first is taken:
 * texts, and what only some of the values have.
 */
export function percentileOf<T>(values: readonly T[], share: number): T {
  const [first] = values;
  if (typeof first === 'number') return percentile(values as readonly number[], share) as T;
  if (typeof first !== 'object' || first === null) return first as T;
  const of = (key: string | number) =>
    percentileOf(
      values.map((value) => (value as Record<string | number, unknown>)[key]),
      share,
    );
  if (Array.isArray(first)) return first.map((_, index) => of(index)) as T;
  return Object.fromEntries(Object.keys(first).map((key) => [key, of(key)])) as T;
}

/** See {@link percentileOf}. */
export function medianOf<T>(values: readonly T[]): T {
  return percentileOf(values, 0.5);
}

/** One or the other first, by chance. */
export function inDrawnOrder<T>(items: readonly T[]): readonly T[] {
  return Math.random() < 0.5 ? items : items.toReversed();
}
