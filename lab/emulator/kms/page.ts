import { type KmsInput, readNumber, readOptionalText } from './input.ts';

/** One page of a sorted list, in the members that KMS's list operations share. */
interface Page<T> {
  readonly items: readonly T[];
  readonly rest: { readonly Truncated: boolean; readonly NextMarker?: string };
}

/** The page for `Limit` and `Marker`. @param items in the order of their ids. */
export function readPage<T>(
  input: KmsInput,
  items: readonly T[],
  idOf: (item: T) => string,
  limits: { readonly usual: number; readonly max: number },
): Page<T> {
  const limit = readNumber(input, 'Limit', { min: 1, ...limits });
  const marker = readOptionalText(input, 'Marker', { min: 1, max: 1024 });
  const last = marker === undefined ? undefined : Buffer.from(marker, 'base64url').toString();
  const start = last === undefined ? 0 : items.findIndex((item) => idOf(item) === last) + 1;
  const page = items.slice(start, start + limit);
  const final = page.at(-1);
  if (start + limit >= items.length || final === undefined) {
    return { items: page, rest: { Truncated: false } };
  }
  const NextMarker = Buffer.from(idOf(final)).toString('base64url');
  return { items: page, rest: { Truncated: true, NextMarker } };
}
