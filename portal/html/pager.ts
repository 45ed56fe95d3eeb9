import type { Href } from '../request-context.ts';
import { type Html, html } from './html.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** Where in a list a page is. It is part of the address. */
export interface ListPosition {
  /** From 1. */
  readonly page: number;
  /** Where the page begins; undefined for the first one. */
  readonly cursor: string | undefined;
  /** Cursors of the pages before it, the nearest first. Those far back are left out. */
  readonly back: readonly string[];
}

/** Not a character of a cursor. */
const separator = '*';

/** Characters of the cursors that an address remembers: servers accept addresses of 8 KB. */
const maxBackLength = 3000;

const maxPage = 1_000_000;

export function readPosition(query: { readonly text: (name: string) => string }): ListPosition {
  const cursor = query.text('cursor');
  if (cursor === '') return { page: 1, cursor: undefined, back: [] };
  const page = Number.parseInt(query.text('page'), 10);
  return {
    page: page >= 2 && page <= maxPage ? page : 2,
    cursor,
    back: query.text('back').split(separator).filter(Boolean),
  };
}

function joinNearest(cursors: readonly string[]): string | undefined {
  let text = '';
  for (const cursor of cursors) {
    const longer = text === '' ? cursor : `${text}${separator}${cursor}`;
    if (longer.length > maxBackLength) break;
    text = longer;
  }
  return text || undefined;
}

function toQuery({ page, cursor, back }: ListPosition): Query {
  return page === 1 ? {} : { cursor, page: String(page), back: joinNearest(back) };
}

/** The position of the next page. */
function nextPosition({ page, cursor, back }: ListPosition, nextCursor: string): ListPosition {
  return {
    page: page + 1,
    cursor: nextCursor,
    back: cursor === undefined ? [] : [cursor, ...back],
  };
}

/** The position of the page before; undefined if it is the first one, or not remembered. */
function previousPosition({ page, back }: ListPosition): ListPosition | undefined {
  const [cursor, ...rest] = back;
  if (page === 2) return { page: 1, cursor: undefined, back: [] };
  return cursor === undefined ? undefined : { page: page - 1, cursor, back: rest };
}

interface Pager {
  readonly href: Href;
  readonly path: string;
  /** The filter, without the position. */
  readonly query: Query;
  readonly position: ListPosition;
  readonly nextCursor: string | undefined;
  readonly shown: number;
  readonly examined: number;
  readonly isFiltered: boolean;
  /** Whether items were left out that the user must not know of. */
  readonly isRestricted: boolean;
  /** What is listed, in the plural. */
  readonly what: string;
  /** Whether only the names of secrets are left to search. */
  readonly allNames?: true | undefined;
}

function summary(parts: Pager): string {
  const { shown, what, examined, isFiltered, isRestricted, nextCursor } = parts;
  const looked = isRestricted
    ? `${countText(shown, what)} found`
    : isFiltered
      ? `${shown} found among ${examined} ${what} looked at`
      : `${countText(shown, what)} on this page`;
  if (nextCursor === undefined) return `${looked}. This is the last page.`;
  if (parts.allNames === true) {
    return `${looked}, by name and id. The names of secrets were not searched.`;
  }
  return isRestricted ? `${looked}. Not everything was read yet.` : `${looked}. There are more.`;
}

/** `1 client`, `2 clients`. */
function countText(count: number, what: string): string {
  return `${count} ${count === 1 ? what.replaceAll(/s\b/g, '') : what}`;
}

/** Where a list goes on. A page is one read, so a filtered page may have few rows. */
export function pager(parts: Pager): Html {
  const { href, path, query, position, nextCursor, shown, what } = parts;
  if (position.page === 1 && nextCursor === undefined) {
    return html`<p class="pager-note muted">${countText(shown, what)}</p>`;
  }
  const link = (to: ListPosition, text: string, rel?: string) =>
    html`
      <a class="button button-plain" href="${href(path, { ...query, ...toQuery(to) })}"${
        rel !== undefined &&
        html` rel="${rel}"
      `
      }>
      ${text}
      </a>
    `;
  const previous = previousPosition(position);
  const isSearch = parts.isFiltered || parts.isRestricted || shown === 0;
  return html`
    <nav class="pager" aria-label="Pages">
      <p class="muted">Page ${position.page}: ${summary(parts)}</p>
      ${
        position.page > 2 && link({ page: 1, cursor: undefined, back: [] }, 'First page')
      }${previous !== undefined && link(previous, 'Previous page', 'prev')}${
        nextCursor !== undefined &&
        link(nextPosition(position, nextCursor), isSearch ? 'Look further' : 'Next page', 'next')
      }
    </nav>
  `;
}
