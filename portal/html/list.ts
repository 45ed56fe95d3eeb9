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
  return html`
    <div class="table">
      <table role="table">
        <caption class="visually-hidden">${caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            ${columns.map(
              ({ text }, index) =>
                html`<th role="columnheader" scope="col"${classes[index]}>${text}</th>`,
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${rows.map(
            (cells) =>
              html`<tr role="row">${cells.map((cell, index) =>
                index === 0
                  ? html`<th role="rowheader" scope="row"${classes[index]}>${cell}</th>`
                  : html`<td role="cell"${classes[index]}${labels[index]}>${cell}</td>`,
              )}</tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}

export type Tone = 'good' | 'warn' | 'bad' | 'off' | 'info';

/** A word for a state. Its colour adds no information. */
export function badge(tone: Tone, text: string): Html {
  return html`<span class="badge badge-${tone}">${text}</span>`;
}

export const disabledBadge = badge('off', 'Disabled');

export function enabledBadge(enabled: boolean): Html {
  return enabled ? badge('good', 'Enabled') : disabledBadge;
}

interface KeySet {
  readonly keys: readonly { readonly kid: string; readonly alg: string; readonly kty: string }[];
  readonly skipped: readonly { readonly kid: string; readonly reason: string }[];
}

/** The keys of a provider, and the skipped ones. */
export function providerKeyTable({ keys, skipped }: KeySet): Html {
  return html`${dataTable(
    'Keys',
    [{ text: 'Key id' }, { text: 'Algorithm' }, { text: 'Type', isMinor: true }],
    keys.map(({ kid, alg, kty }) => [html`<code>${kid}</code>`, alg, kty]),
  )}${
    skipped.length > 0 &&
    html`<div class="panel-text"><p>Left out, as they verify no token:</p><ul>${skipped.map(
      ({ kid, reason }) => html`<li><code>${kid || 'without key id'}</code>: ${reason}</li>`,
    )}</ul></div>`
  }`;
}
