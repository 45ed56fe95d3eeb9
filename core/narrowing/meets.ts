import { nothing } from './narrow.ts';

type Optional<V> = V | undefined;

/** The smaller number. Left out: no bound. */
export function least<V extends Optional<number>>(a: V, b: V): V {
  return a === undefined || (b !== undefined && b < a) ? b : a;
}

/** The later time. Left out: none. */
export function latest(a: Optional<number>, b: Optional<number>): Optional<number> {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}

/** The stricter flag. */
export function either<V extends Optional<boolean>>(a: V, b: V): V {
  return a ? a : (b ?? a);
}

/** The values of both lists. */
export function common(a: readonly string[], b: readonly string[]): readonly string[] {
  return b.filter((one) => a.includes(one));
}

/** The same if a list that is left out is every value. */
export function commonIfAny(
  a: Optional<readonly string[]>,
  b: Optional<readonly string[]>,
): Optional<readonly string[]> {
  return a === undefined || b === undefined ? (b ?? a) : common(a, b);
}

/** The same if no list may be empty. */
export function someCommon(a: Optional<readonly string[]>, b: Optional<readonly string[]>) {
  const left = commonIfAny(a, b);
  return left?.length === 0 ? nothing : left;
}
