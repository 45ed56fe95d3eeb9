import type { Href } from '../visit.ts';
import { type Html, type HtmlValue, html } from './html.ts';

export interface Column {
  readonly text: string;
  /** Omitted on narrow screens. */
  readonly isMinor?: boolean | undefined;
  /** Only on wide screens. */
  readonly isWide?: boolean | undefined;
}

/** A table that scrolls horizontally if the screen is too narrow. */
export function dataTable(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly HtmlValue[])[],
): Html {
  const classOf = ({ isMinor, isWide }: Column) =>
    isWide === true ? 'wide' : isMinor === true ? 'minor' : '';
  const attributes = columns.map((column) => {
    const names = classOf(column);
    return names === '' ? '' : html` class="${names}"`;
  });
  return html`<div class="table"><table><caption class="visually-hidden">${caption}</caption><thead><tr>${columns.map(
    ({ text }, index) => html`<th scope="col"${attributes[index]}>${text}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, index) =>
        index === 0
          ? html`<th scope="row"${attributes[index]}>${cell}</th>`
          : html`<td${attributes[index]}>${cell}</td>`,
      )}</tr>`,
  )}</tbody></table></div>`;
}

/** The navigation of a list. A page is one read, so a filtered page may have few rows. */
export function pager(options: {
  readonly href: Href;
  readonly path: string;
  /** The filter, without the cursor. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly isFirst: boolean;
  readonly nextCursor: string | undefined;
  readonly shown: number;
  readonly examined: number;
  readonly isFiltered: boolean;
  /** The kind of items, in the plural. */
  readonly what: string;
}): Html {
  const { href, path, query, nextCursor, shown, what, isFirst } = options;
  const looked = options.isFiltered
    ? `${shown} found among ${options.examined} ${what} looked at`
    : `${shown} ${what} on this page`;
  if (isFirst && nextCursor === undefined) {
    return html`<p class="pager-note muted">${shown} ${what}</p>`;
  }
  return html`<nav class="pager" aria-label="Pages"><p class="muted">${looked}${
    nextCursor === undefined ? '. This is the last page.' : '. There are more.'
  }</p>${isFirst ? '' : html`<a class="button button-plain" href="${href(path, query)}">First page</a>`}${
    nextCursor === undefined
      ? ''
      : html`<a class="button button-plain" href="${href(path, { ...query, cursor: nextCursor })}" rel="next">${options.isFiltered ? 'Look further' : 'Next page'}</a>`
  }</nav>`;
}
