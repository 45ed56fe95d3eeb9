import { maxListedItems } from '../../contract/bounds.ts';
import type { OperationInput } from '../../contract/management/operations.ts';
import type { OwnedItemsQuery, StorePage, StorePageQuery } from '../paging.ts';
import type { OwnedRecord } from '../record-store.ts';
import { isEnabled } from '../stops.ts';
import { refuseInput } from './read-input.ts';

/** Which page of a list. */
export type PageRequest = OperationInput<'listTrunkGroupLimits', 'filter'>;

/** Filters that a list of clients and one of API keys have. */
export type OwnedItemsFilter = Omit<OperationInput<'listApiKeys', 'filter'>, 'anySource'>;

/**
 * One page of a list. A page costs a few reads of bounded size, so a page of a filtered list may
 * have few items or none although `nextCursor` leads to more.
 */
export interface Page<T> {
  /**
   * By name. A list that is restricted to trunk groups is in one order over all its pages: by
   * group, then by name, in which capital letters come first.
   */
  readonly items: readonly T[];
  /** How many stored items were looked at for it. */
  readonly examined: number;
  /** Undefined on the last page. */
  readonly nextCursor?: string | undefined;
  /**
   * Of clients with a text: whether the ids and names of all clients were searched. `nextCursor`
   * then leads to clients that have it only in the id or name of a secret.
   */
  readonly allNames?: true | undefined;
}

/**
 * A position as an opaque text, which callers are not tempted to construct. It is no secret: the
 * position in a list that is restricted to trunk groups holds only what belongs to them.
 */
export function formatCursor(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}

/** The position that a cursor stands for. */
function positionOf(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('utf8');
}

export function readPageRequest({ limit = maxListedItems, cursor }: PageRequest): StorePageQuery {
  return { limit, after: cursor === undefined ? undefined : positionOf(cursor) };
}

export function readOwnedItemsFilter(filter: OwnedItemsFilter): OwnedItemsQuery {
  const { trunkGroup, text, enabled } = filter;
  return {
    ...readPageRequest(filter),
    trunkGroups: trunkGroup === undefined ? undefined : [trunkGroup],
    text: text === '' ? undefined : text,
    enabled,
  };
}

/** Whether an item that was found by its id meets the filters of a list. */
export function isOwnedItem(
  item: Pick<OwnedRecord, 'serviceTrunkGroup' | 'stops'>,
  { trunkGroups, enabled = isEnabled(item) }: OwnedItemsQuery,
): boolean {
  return enabled === isEnabled(item) && trunkGroups?.includes(item.serviceTrunkGroup) !== false;
}

export function toPage<T>(
  { items, examined, next, allNames, isOrdered = false }: StorePage<T>,
  compare: (a: T, b: T) => number,
): Page<T> {
  return {
    items: isOrdered ? items : items.toSorted(compare),
    examined,
    nextCursor: next === undefined ? undefined : formatCursor(next),
    allNames,
  };
}

/** Maximum number of changes in progress at the same moment. A valid cursor never has more. */
const maxOpenChanges = 20;

/** The end of a page of changes, and those on it whose intents are on the next one. */
interface ChangesPosition {
  readonly after: string;
  readonly open: ReadonlySet<string>;
}

export function formatChangesCursor({ after, open }: ChangesPosition): string {
  return formatCursor(JSON.stringify([after, ...[...open].slice(0, maxOpenChanges)]));
}

/** @param isPosition whether the list has such ends of pages. */
export function parseChangesCursor(
  cursor: string,
  isPosition: (after: string) => boolean,
): ChangesPosition {
  const refuseCursor = () => refuseInput('cursor', cursor, 'the nextCursor of a page');
  try {
    const [after, ...open] = JSON.parse(positionOf(cursor)) as readonly unknown[];
    if (typeof after !== 'string' || !isPosition(after)) return refuseCursor();
    if (!open.every((id) => typeof id === 'string')) return refuseCursor();
    return { after, open: new Set(open) };
  } catch {
    return refuseCursor();
  }
}

/** Orders by name, then by id, so lists are stable. */
export function byNameThen<T extends { readonly name: string }>(
  id: (item: T) => string,
): (a: T, b: T) => number {
  return (a, b) => a.name.localeCompare(b.name, 'en') || (id(a) < id(b) ? -1 : 1);
}
