import type { ListedPage } from '../../adapters/management.ts';

export type ReadPage<T> = (cursor: string | undefined) => Promise<ListedPage<T>>;

/** The first pages of a list as one. `nextCursor` leads to what was not read. */
export async function joinPages<T>(
  read: ReadPage<T>,
  maxReads: number,
): Promise<Pick<ListedPage<T>, 'items' | 'nextCursor'>> {
  const items: T[] = [];
  let nextCursor: string | undefined;
  for (let reads = 0; reads < maxReads; reads++) {
    const page = await read(nextCursor);
    items.push(...page.items);
    nextCursor = page.nextCursor;
    if (nextCursor === undefined) break;
  }
  return { items, nextCursor };
}
