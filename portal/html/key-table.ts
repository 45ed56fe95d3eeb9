import { type Html, html } from './html.ts';
import { dataTable } from './list.ts';

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
