import type { Href } from '../request-context.ts';
import { type Html, type HtmlValue, html } from './html.ts';

export interface Column {
  readonly text: string;
  /** Left out on narrow screens. */
  readonly isMinor?: boolean | undefined;
  /** Only on wide screens. */
  readonly isWide?: boolean | undefined;
  /** Whether a value says what it is, so that a narrow screen needs no label next to it. */
  readonly isPlain?: boolean | undefined;
}

/**
 * A table. On a narrow screen each row becomes a block in which values have their labels; the roles
 * keep it a table for a screen reader, as the style removes what HTML says.
 */
export function dataTable(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly HtmlValue[])[],
): Html {
  const classOf = ({ isMinor, isWide }: Column) =>
    isWide === true ? 'wide' : isMinor === true ? 'minor' : '';
  const classes = columns.map((column) => {
    const names = classOf(column);
    return names === '' ? '' : html` class="${names}"`;
  });
  const labels = columns.map(({ text, isPlain }) =>
    isPlain === true ? '' : html` data-label="${text}"`,
  );
  return html`<div class="table"><table role="table"><caption class="visually-hidden">${caption}</caption><thead role="rowgroup"><tr role="row">${columns.map(
    ({ text }, index) => html`<th role="columnheader" scope="col"${classes[index]}>${text}</th>`,
  )}</tr></thead><tbody role="rowgroup">${rows.map(
    (cells) =>
      html`<tr role="row">${cells.map((cell, index) =>
        index === 0
          ? html`<th role="rowheader" scope="row"${classes[index]}>${cell}</th>`
          : html`<td role="cell"${classes[index]}${labels[index]}>${cell}</td>`,
      )}</tr>`,
  )}</tbody></table></div>`;
}

/** Where a list goes on. A page is one read, so that a filtered page may have few rows. */
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
  /** Whether items were left out that the user must not know of. */
  readonly isLimited: boolean;
  /** What is listed, in the plural. */
  readonly what: string;
}): Html {
  const { href, path, query, nextCursor, shown, what, isFirst } = options;
  const looked = options.isLimited
    ? `${shown} ${what} found`
    : options.isFiltered
      ? `${shown} found among ${options.examined} ${what} looked at`
      : `${shown} ${what} on this page`;
  if (isFirst && nextCursor === undefined) {
    return html`<p class="pager-note muted">${shown} ${what}</p>`;
  }
  return html`<nav class="pager" aria-label="Pages"><p class="muted">${looked}${
    nextCursor === undefined
      ? '. This is the last page.'
      : options.isLimited
        ? '. Not everything was read yet.'
        : '. There are more.'
  }</p>${isFirst ? '' : html`<a class="button button-plain" href="${href(path, query)}">First page</a>`}${
    nextCursor === undefined
      ? ''
      : html`<a class="button button-plain" href="${href(path, { ...query, cursor: nextCursor })}" rel="next">${options.isFiltered || options.isLimited || shown === 0 ? 'Look further' : 'Next page'}</a>`
  }</nav>`;
}
