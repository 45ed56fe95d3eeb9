import { describeStops, type Stoppable } from '../../core/stops.ts';
import { type Html, type HtmlValue, html } from './html.ts';

/**
 * A column of a table: its name, and what it has of an item. `minor` is left out on narrow screens,
 * `wide` is only on wide ones, and the value of a `plain` one says what it is, so that a narrow
 * screen needs no label next to it.
 */
export type Column<T> = readonly [
  text: string,
  cell: (item: T) => HtmlValue,
  look?: 'minor' | 'wide' | 'plain',
];

/**
 * A table. On a narrow screen each row becomes a block in which values have their labels; the roles
 * keep it a table for a screen reader, as the style removes what HTML says.
 */
export function dataTable<T>(
  caption: string,
  columns: readonly (Column<T> | false)[],
  items: readonly T[],
): Html {
  const shown = columns.filter((column) => column !== false);
  const classOf = ([, , look]: Column<T>) =>
    (look === 'wide' || look === 'minor') && html` class="${look}"`;
  const cellOf = (column: Column<T>, item: T, index: number) => {
    const [text, cell, look] = column;
    return index === 0
      ? html`<th role="rowheader" scope="row"${classOf(column)}>${cell(item)}</th>`
      : html`<td role="cell"${classOf(column)}${look !== 'plain' && html` data-label="${text}"`}>${cell(item)}</td>`;
  };
  return html`
    <div class="table">
      <table role="table">
        <caption class="visually-hidden">${caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            ${shown.map((one) => html`<th role="columnheader" scope="col"${classOf(one)}>${one[0]}</th>`)}
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${items.map((item) => html`<tr role="row">${shown.map((one, index) => cellOf(one, item, index))}</tr>`)}
        </tbody>
      </table>
    </div>
  `;
}

/** The first cell of a row: the name of its item, which leads to its page. */
export function rowLink(href: string, text: string): Html {
  return html`<a class="row-link" href="${href}">${text}</a>`;
}

/** The same of an item that can be disabled. */
export function statedLink(href: string, text: string, enabled: boolean): Html {
  return html`${rowLink(href, text)}${!enabled && html` ${disabledBadge}`}`;
}

type Tone = 'good' | 'warn' | 'bad' | 'off' | 'info';

/** A word for a state. Its colour adds no information. */
export function badge(tone: Tone, text: string): Html {
  return html`<span class="badge badge-${tone}">${text}</span>`;
}

export const disabledBadge = badge('off', 'Disabled');

export function enabledBadge(enabled: boolean): Html {
  return enabled ? badge('good', 'Enabled') : disabledBadge;
}

/** Who stopped something, when, and what lifts it. */
export function stopsText({ stops }: Stoppable): Html {
  return html`${describeStops(stops).map((text) => html`<span class="sub">${text}</span>`)}`;
}

interface KeySet {
  readonly keys: readonly { readonly kid: string; readonly alg: string; readonly kty: string }[];
  readonly skipped: readonly { readonly kid: string; readonly reason: string }[];
}

/** The keys of a provider, and the skipped ones. */
export function providerKeyTable({ keys, skipped }: KeySet): Html {
  return html`${dataTable(
    'Keys',
    [
      ['Key id', ({ kid }) => html`<code>${kid}</code>`],
      ['Algorithm', ({ alg }) => alg],
      ['Type', ({ kty }) => kty, 'minor'],
    ],
    keys,
  )}${
    skipped.length > 0 &&
    html`<div class="panel-text"><p>Left out, as they verify no token:</p><ul>${skipped.map(
      ({ kid, reason }) => html`<li><code>${kid || 'without key id'}</code>: ${reason}</li>`,
    )}</ul></div>`
  }`;
}
