import type { Client } from '../../../adapters/management.ts';
import { isUsable } from '../../../core/client/client.ts';
import { findSecretConcern, lastUse } from '../../../core/client/secret-attention.ts';
import { clientPath } from '../../client-path.ts';
import { type Html, html } from '../../html/html.ts';
import { badge, type Column, statedLink } from '../../html/list.ts';
import { formatSpan, lastUseText } from '../../html/time.ts';
import type { RequestContext } from '../../request-context.ts';

/** The first expiry of the secrets that work; undefined if none expires. */
export function firstExpiry(client: Client, now: number): number | undefined {
  const times = client.secrets
    .filter((secret) => isUsable(secret, now))
    .flatMap(({ expiresAt }) => expiresAt ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

function secretsCell(client: Client, now: number): Html {
  if (client.provider !== undefined) return html`<span class="muted">At its provider</span>`;
  const live = client.secrets.filter((secret) => isUsable(secret, now));
  const concerns = live.map((secret) => findSecretConcern(client, secret, now));
  return html`<span class="tight">${
    live.length === 0
      ? html`
    <span class="muted">None</span>
  `
      : live.length
  }${
    concerns.includes('expires_soon') &&
    html` ${badge('warn', `Expires in ${formatSpan((firstExpiry(client, now) ?? now) - now)}`)}`
  }${concerns.includes('unused') && html` ${badge('warn', 'Unused')}`}</span>`;
}

function scopesCell({ scopes }: Client): Html {
  const [first = '', ...others] = scopes;
  return html`<span class="tight" title="${scopes.join(' ')}"><code>${first}</code>${
    others.length > 0 && html` <span class="muted">+${others.length}</span>`
  }</span>`;
}

/** The use of assertions is only recorded if this service accepts them. */
export function isUseKnown(
  { provider }: Client,
  { acceptsAssertions }: RequestContext['deployment'],
): boolean {
  return provider === undefined || acceptsAssertions === true;
}

/** A client in a list: its identifying fields and urgent problems. */
export function clientColumns({
  deployment,
  href,
  now,
}: RequestContext): readonly Column<Client>[] {
  return [
    [
      'Client',
      ({ clientId, name, enabled }) => statedLink(href(clientPath(clientId)), name, enabled),
    ],
    ['Client id', ({ clientId }) => html`<code>${clientId}</code>`, 'wide'],
    ['Trunk group', ({ serviceTrunkGroup }) => serviceTrunkGroup, 'minor'],
    ['Scopes', scopesCell, 'minor'],
    ['Secrets', (client) => secretsCell(client, now)],
    [
      'Last used',
      (client) => isUseKnown(client, deployment) && lastUseText(lastUse(client), now),
      'minor',
    ],
  ];
}
