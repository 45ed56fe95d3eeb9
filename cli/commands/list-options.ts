import { secondsOrTyped } from '../../core/duration.ts';
import { byNameThen, type OwnedItemsFilter, type Page } from '../../core/management/list-query.ts';
import { collect } from '../../core/paging.ts';
import { type OptionValues, option } from '../command-spec.ts';
import type { Output } from '../output.ts';

/**
 * Filters of a list of clients or API keys.
 *
 * @param what expires, e.g. `keys that expire`.
 */
export function listFilterOptions(what: string) {
  return [
    option('--trunk-group <group>', 'only those of one service trunk group', 'serviceTrunkGroup'),
    option('--text <text>', 'only those with this text in their name or id'),
    option('--enabled', 'only those that are enabled').conflicts('disabled'),
    option('--disabled', 'only those that are disabled'),
    option('--expires-within <duration>', `only ${what} within this time, e.g. 14d`),
  ] as const;
}

type ReadPage = Pick<Page<unknown>, 'items' | 'nextCursor'> &
  Partial<Pick<Page<unknown>, 'examined'>>;

export function readListFilter(
  options: OptionValues<ReturnType<typeof listFilterOptions>>,
): OwnedItemsFilter {
  const { trunkGroup, text, enabled, disabled, expiresWithin: soon } = options;
  return {
    trunkGroup,
    text,
    enabled: enabled ?? (disabled === true ? false : undefined),
    expiresWithin: secondsOrTyped(soon),
  };
}

/** Every so many items, a person is told how far a list is. */
const progressStep = 10_000;

/** Every page of a list, of which there is one at least. */
export async function* readPages<P extends ReadPage>(
  output: Pick<Output, 'progress'>,
  readPage: (cursor: string | undefined) => Promise<P>,
): AsyncGenerator<P> {
  let cursor: string | undefined;
  let read = 0;
  do {
    const page = await readPage(cursor);
    const before = read;
    read += page.examined ?? page.items.length;
    yield page;
    cursor = page.nextCursor;
    const step = Math.floor(read / progressStep);
    if (step > Math.floor(before / progressStep)) output.progress(`${read} read`);
  } while (cursor !== undefined);
}

/** The items of each page of a list. */
export async function* readItems<T>(
  output: Pick<Output, 'progress'>,
  readPage: (cursor: string | undefined) => Promise<ReadPage & { readonly items: readonly T[] }>,
): AsyncGenerator<readonly T[]> {
  for await (const { items } of readPages(output, readPage)) yield items;
}

/** Every item of a list that a command needs whole, by name. */
export async function collectPages<T extends { readonly name: string }>(
  output: Pick<Output, 'progress'>,
  readPage: (cursor: string | undefined) => Promise<Page<T>>,
  id: (item: T) => string,
): Promise<readonly T[]> {
  const pages = await collect(readItems(output, readPage));
  return pages.flat().sort(byNameThen(id));
}
