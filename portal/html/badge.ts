import { type Html, html } from './html.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'off' | 'info';

/** A word for a state. Its colour adds no information. */
export function badge(tone: Tone, text: string): Html {
  return html`<span class="badge badge-${tone}">${text}</span>`;
}

export const disabledBadge = badge('off', 'Disabled');

export function enabledBadge(enabled: boolean): Html {
  return enabled ? badge('good', 'Enabled') : disabledBadge;
}
