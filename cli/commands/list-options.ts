import { secondsOrTyped } from '../../core/duration.ts';
import { byNameThen, type OwnedItemsFilter, type Page } from '../../core/management/list-query.ts';
import { type OptionValues, option } from '../command-spec.ts';

/**
 * Filters of a list of clients or API keys.
 *
 * @param what expires, e.g. `keys that expire`.
 */
export function listFilterOptions(what: string) {
  return [
    option('--trunk-group <group>', 'only those of one service trunk group'),
    option('--text <text>', 'only those with this text in their name or id'),
    option('--enabled', 'only those that are enabled').conflicts('disabled'),
    option('--disabled', 'only those that are disabled'),
    option('--expires-within <duration>', `only ${what} within this time, e.g. 14d`),
  ] as const;
}

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

/** Every page of a list, of which there is one at least. */
export async function readPages<P extends Pick<Page<unknown>, 'nextCursor'>>(
  readPage: (cursor: string | undefined) => Promise<P>,
): Promise<readonly P[]> {
  const pages: P[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

/** Every item of a list, by name. */
export async function collectPages<T extends { readonly name: string }>(
  readPage: (cursor: string | undefined) => Promise<Page<T>>,
  id: (item: T) => string,
): Promise<readonly T[]> {
  const pages = await readPages(readPage);
  return pages.flatMap(({ items }) => items).sort(byNameThen(id));
}
