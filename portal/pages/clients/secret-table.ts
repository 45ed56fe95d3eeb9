import type { Client, ClientSecret } from '../../../adapters/management.ts';
import { thumbprintOf } from '../../../core/client/client-key.ts';
import { findSecretConcern, isReplaced } from '../../../core/client/secret-attention.ts';
import { isStoppedBy } from '../../../core/stops.ts';
import { clientPath } from '../../client-path.ts';
import { versionField } from '../../forms/form.ts';
import { type Html, type HtmlValue, html } from '../../html/html.ts';
import { badge, dataTable, disabledBadge, stopsText } from '../../html/list.ts';
import { distance, endTime, formatDayDistance, lastUseText } from '../../html/time.ts';
import type { RequestContext } from '../../request-context.ts';

/** Whether a client signs with it. What is stored of it is public. */
export function isKey({ alg }: Pick<ClientSecret, 'alg'>): boolean {
  return alg !== undefined;
}

/** The label of a secret or a key: its name, or the end of its id. */
export function secretTitle(secret: Pick<ClientSecret, 'name' | 'secretId' | 'alg'>): string {
  return secret.name ?? `${isKey(secret) ? 'Key' : 'Secret'} …${secret.secretId.slice(-6)}`;
}

/** Secrets that a change stops, each with its last use. */
export function uses(secrets: readonly ClientSecret[], now: number): Html {
  return html`<ul>${secrets.map((secret) => {
    const { lastUsedOn: day } = secret;
    const use = day === undefined ? 'never used' : `last used ${formatDayDistance(day, now)}`;
    return html`<li>${secretTitle(secret)} <span class="muted">${use}</span></li>`;
  })}</ul>`;
}

function statusBadge(client: Client, secret: ClientSecret, now: number): Html {
  if (secret.expiresAt !== undefined && secret.expiresAt <= now) return badge('off', 'Expired');
  if (!secret.enabled) return html`${disabledBadge}${stopsText(secret)}`;
  const concern = findSecretConcern(client, secret, now);
  if (concern === 'expires_soon') return badge('warn', 'Expires soon');
  if (concern === 'unused') return badge('warn', 'Unused');
  const isCalm = secret.expiresAt !== undefined && isReplaced(client, secret, now);
  return badge('good', isCalm ? 'Replaced' : 'Active');
}

/** Disabling can be undone, so that it needs no confirmation. */
function enabledForm({ href }: RequestContext, client: Client, secret: ClientSecret): Html {
  const [verb, text] = isStoppedBy(secret, 'person')
    ? ['enable', 'Enable']
    : ['disable', 'Disable'];
  const address = `${clientPath(client.clientId)}/secrets/${secret.secretId}/${verb}`;
  return html`
    <form method="post" action="${href(address)}" class="inline" data-once>
      ${versionField(client.version)}
      <button class="link" type="submit">
        ${text}<span class="visually-hidden"> ${secretTitle(secret)}</span>
      </button>
    </form>
  `;
}

function actions(context: RequestContext, client: Client, secret: ClientSecret): HtmlValue {
  const { href, may, now } = context;
  const address = `${clientPath(client.clientId)}/secrets/${secret.secretId}`;
  const hasEnded = secret.expiresAt !== undefined && secret.expiresAt <= now;
  const label = html`<span class="visually-hidden"> ${secretTitle(secret)}</span>`;
  return html`
    <span class="row-actions">${
      may('updateClientSecret') &&
      !hasEnded &&
      html`<a href="${href(`${address}/edit`)}">Edit${label}</a>`
    }${may('disableClientSecret') && !hasEnded && enabledForm(context, client, secret)}
    ${may('deleteClientSecret') && html`<a href="${href(`${address}/delete`)}">Delete${label}</a>`}
    </span>
  `;
}

/** The visible fields of a client's secrets. */
export function secretTable(context: RequestContext, client: Client): Html {
  const { now } = context;
  return dataTable<ClientSecret>(
    'Secrets',
    [
      [
        'Secret',
        (secret) => html`
          ${secretTitle(secret)}<span class="sub"><code>${secret.secretId}</code></span>
          ${
            isKey(secret) &&
            html`<span class="sub">${secret.alg}, thumbprint <code>${thumbprintOf(secret)}</code></span>`
          }
        `,
      ],
      ['Status', (secret) => statusBadge(client, secret, now), 'plain'],
      ['Expires', ({ expiresAt }) => (expiresAt === undefined ? 'Never' : endTime(expiresAt, now))],
      ['Last used', ({ lastUsedOn }) => lastUseText(lastUsedOn, now)],
      ['Created', ({ createdAt }) => distance(createdAt, now), 'minor'],
      context.may('updateClientSecret') && [
        'Actions',
        (secret) => actions(context, client, secret),
        'plain',
      ],
    ],
    client.secrets,
  );
}
