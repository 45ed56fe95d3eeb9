import type { ListedPage } from '../../adapters/management.ts';

export type ReadPage<T> = (cursor: string | undefined) => Promise<ListedPage<T>>;

/**
 * Several pages of a list. `nextCursor` leads to what was not read.
 *
 * @param start the cursor of the first of them.
 */
export async function readPages<T>(
  read: ReadPage<T>,
  maxReads: number,
  start?: string,
): Promise<ListedPage<T>> {
  const items: T[] = [];
  let examined = 0;
  let nextCursor = start;
  for (let reads = 0; reads < maxReads; reads++) {
    const page = await read(nextCursor);
    items.push(...page.items);
    examined += page.examined;
    nextCursor = page.nextCursor;
    if (nextCursor === undefined) break;
  }
  return { items, examined, nextCursor };
}
