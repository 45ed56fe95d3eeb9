import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Item } from '../../adapters/dynamodb/item.ts';
import type { ItemKind } from '../../lab/support/items/parsers.ts';
import { root } from '../architecture/source-files.ts';

/* What kept releases read and write: `lab/tools/keep-item-format.ts` makes the files. */

/** A release has no parser and no item of a kind that is newer. */
export type Parsers = Readonly<Partial<Record<ItemKind, (item: Item) => unknown>>>;
export type Items = Readonly<Partial<Record<ItemKind, readonly Item[]>>>;

export const keptItems = join(root, 'test/fixtures/items');

/** Releases whose formats are kept, the oldest first. */
export const releases = readdirSync(keptItems).toSorted((a, b) =>
  a.localeCompare(b, 'en', { numeric: true }),
);

export const newestRelease = releases.at(-1) ?? '';

export function itemsOf(release: string): Items {
  return JSON.parse(readFileSync(join(keptItems, release, 'items.json'), 'utf8')) as Items;
}

/** The parsers that the release was published with. */
export async function parsersOf(release: string): Promise<Parsers> {
  const kept = (await import(join(keptItems, release, 'parsers.mjs'))) as { parsers: Parsers };
  return kept.parsers;
}

/**
 * Why a release cannot read an item: the path of an attribute that it does not know.
 *
 * @returns undefined if it reads the item.
 * @throws if it refuses the item for another reason.
 */
export function findNewAttribute(read: (item: Item) => unknown, item: Item): string | undefined {
  try {
    read(item);
    return undefined;
  } catch (error) {
    const [, path] =
      / cannot be read: (\S+): expected no such attribute$/.exec((error as Error).message) ?? [];
    if (path === undefined) throw error;
    return path;
  }
}
