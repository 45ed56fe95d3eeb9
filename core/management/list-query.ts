import { maxListedItems } from '../../contract/limits.ts';
import type { OwnedItemsQuery, StorePage } from '../paging.ts';
import { isDay } from '../rfc3339.ts';
import { parseServiceTrunkGroup } from './input-fields.ts';
import { optional, readBoolean, readInteger, readText, refuseInput } from './read-input.ts';

/** Which page of a list. */
export interface PageRequest {
  /** Most items of the page, 1 to 500; 500 if left out. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before; the first page if left out. */
  readonly cursor?: string | undefined;
}

/** Filters of a list of clients or API keys. */
export interface OwnedItemsFilter extends PageRequest {
  readonly trunkGroup?: string | undefined;
  /** Text in the name or the id, of a client's secrets as well, in any case. */
  readonly text?: string | undefined;
  readonly enabled?: boolean | undefined;
  /**
   * False saves one read of a list of trunk groups: what was created or renamed in the last seconds
   * may be missing then. The default is true.
   */
  readonly withRecent?: boolean | undefined;
}

/**
 * One page of a list. A page costs a few reads of bounded size, so a page of a filtered list may have
 * few items or none although `nextCursor` leads to more.
 */
export interface Page<T> {
  /**
   * By name. A list that is limited to trunk groups is in one order over all its pages: by group,
   * then by name, in which capital letters come first.
   */
  readonly items: readonly T[];
  /** How many stored items were looked at for it. */
  readonly examined: number;
  /** Undefined on the last page. */
  readonly nextCursor?: string | undefined;
}

export type Given<Field extends string> = Readonly<Record<Field, unknown>>;

const cursorHelp = 'the nextCursor of a page';
const maxCursorLength = 2048;

/**
 * A position as an opaque text, which callers are not tempted to construct. It is no secret: the
 * position in a list that is limited to trunk groups holds only what belongs to them.
 */
export function formatCursor(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}

export function parseCursor(value: unknown): string {
  const cursor = readText('cursor', value, cursorHelp);
  const key = Buffer.from(cursor, 'base64url').toString('utf8');
  if (cursor === '' || cursor.length > maxCursorLength || formatCursor(key) !== cursor) {
    refuseInput('cursor', value, cursorHelp);
  }
  return key;
}

export function readPageRequest(given: Given<keyof PageRequest>): {
  readonly limit: number;
  readonly after: string | undefined;
} {
  return {
    limit:
      optional(given.limit, (value) => readInteger('limit', value, 1, maxListedItems)) ??
      maxListedItems,
    after: optional(given.cursor, parseCursor),
  };
}

export function readOwnedItemsFilter(given: Given<keyof OwnedItemsFilter>): OwnedItemsQuery {
  const text = optional(given.text, (value) => readText('text', value, 'a text').trim());
  return {
    ...readPageRequest(given),
    trunkGroups: optional(given.trunkGroup, (group) => [
      parseServiceTrunkGroup(group, 'trunkGroup'),
    ]),
    text: text === '' ? undefined : text,
    enabled: optional(given.enabled, (value) => readBoolean('enabled', value)),
    withRecent: optional(given.withRecent, (value) => readBoolean('withRecent', value)),
  };
}

/** Whether an item that was found by its id meets the filters of a list. */
export function isOwnedItem(
  item: { readonly serviceTrunkGroup: string; readonly enabled: boolean },
  { trunkGroups, enabled = item.enabled }: OwnedItemsQuery,
): boolean {
  return enabled === item.enabled && trunkGroups?.includes(item.serviceTrunkGroup) !== false;
}

export function toPage<T>(
  { items, examined, next, isOrdered = false }: StorePage<T>,
  compare: (a: T, b: T) => number,
): Page<T> {
  return {
    items: isOrdered ? items : items.toSorted(compare),
    examined,
    nextCursor: optional(next, (position) => formatCursor(String(position))),
  };
}

/** Maximum number of changes in progress at the same moment. A valid cursor never has more. */
export const maxOpenChanges = 20;

/** A UTC day of the audit. */
export function readDay(field: string, value: unknown): string {
  const help = 'a UTC day, e.g. 2026-11-20';
  const day = readText(field, value, help);
  return isDay(day) ? day : refuseInput(field, value, help);
}
