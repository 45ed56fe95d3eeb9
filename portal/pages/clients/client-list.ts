import type { Client } from '../../../adapters/management.ts';
import { secondsPerDay, secretExpiresSoonWithin } from '../../../contract/bounds.ts';
import { clientWords } from '../../../contract/management/field-words.ts';
import { wireNameOf } from '../../../contract/management/fields.ts';
import { plainClientFields } from '../../../contract/management/inputs.ts';
import { isUsable } from '../../../core/client/client.ts';
import { findSecretConcern, lastUse } from '../../../core/client/secret-attention.ts';
import { isId } from '../../../core/credential/credential-value.ts';
import { formatTime } from '../../../core/time.ts';
import { viewTyped } from '../../../core/typed-text.ts';
import { clientPath } from '../../client-path.ts';
import type { Option } from '../../html/field.ts';
import { filterSelect, findListed, ownedItemFilters, readListFilter } from '../../html/filters.ts';
import { type Html, html } from '../../html/html.ts';
import { badge, type Column, statedLink } from '../../html/list.ts';
import { linkButton } from '../../html/parts.ts';
import { formatSpan, lastUseText } from '../../html/time.ts';
import type { Handler, RequestContext } from '../../request-context.ts';
import { type CsvTable, exportList, type ListPage, showList } from '../list-page.ts';

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

const expiresSoonDays = secretExpiresSoonWithin / secondsPerDay;

/** Choices for a client's secrets, with the filter of each. */
const secretFilters: ReadonlyMap<string, readonly [text: string, filter: object]> = new Map([
  ['attention', ['Need attention', { needsAttention: true }]],
  [
    'expires-soon',
    [`Expire within ${expiresSoonDays} days`, { expiresWithin: secretExpiresSoonWithin }],
  ],
  ['expires-30', ['Expire within 30 days', { expiresWithin: 30 * secondsPerDay }]],
  ['unused-90', ['Not used for 90 days', { unusedFor: 90 * secondsPerDay }]],
]);

const secretOptions: readonly Option[] = [
  ['', 'Any'],
  ...[...secretFilters].map(([value, [text]]): Option => [value, text]),
];

const time = (seconds: number | undefined) =>
  seconds === undefined ? undefined : formatTime(seconds);

function csvTable(now: number): CsvTable<Client> {
  return {
    name: 'clients',
    columns: {
      client_id: ({ clientId }) => clientId,
      name: ({ name }) => name,
      service_trunk_group: ({ serviceTrunkGroup }) => serviceTrunkGroup,
      enabled: ({ enabled }) => (enabled ? 'yes' : 'no'),
      scopes: ({ scopes }) => scopes.join(' '),
      audiences: ({ audiences }) => audiences.join(' '),
      ...Object.fromEntries(
        plainClientFields.map((name) => [
          wireNameOf(name),
          (client) => viewTyped(clientWords[name].kind, client[name]),
        ]),
      ),
      provider: ({ provider }) => provider?.issuer,
      external_client_id: ({ provider }) => provider?.externalClientId,
      usable_secrets: ({ secrets }) => secrets.filter((one) => isUsable(one, now)).length,
      first_expiry: (client) => time(firstExpiry(client, now)),
      last_used_on: (client) => lastUse(client),
      created_at: ({ createdAt }) => time(createdAt),
    },
  };
}

function clientList(context: RequestContext): ListPage<Client> {
  const { management, query, href, may, now } = context;
  const filter = readListFilter(query);
  const [secrets, provider] = [query.optional('secrets'), query.optional('provider')];
  return {
    title: 'Clients',
    lead: 'Programs that get access tokens with an id and a secret. A new one appears here within seconds.',
    section: 'clients',
    path: '/clients',
    what: 'clients',
    create: may('createClient')
      ? linkButton(href('/clients/new'), 'New client', 'primary')
      : undefined,
    query: {
      text: filter.text,
      trunkGroup: filter.trunkGroup,
      enabled: query.optional('enabled'),
      secrets,
      provider,
    },
    labels: { trunkGroup: 'Trunk group', provider: 'Provider', cursor: 'Page' },
    filterFields: (problems) =>
      ownedItemFilters(context, problems, filterSelect(query, 'secrets', 'Secrets', secretOptions)),
    columns: clientColumns(context),
    empty: { title: 'No clients yet', text: 'Create one to get a client id and a secret.' },
    read: (cursor) => {
      const { text = '' } = filter;
      if (isId('client', text)) return findListed(() => management.findClient(text));
      return management.listClients({
        ...filter,
        ...secretFilters.get(secrets ?? '')?.[1],
        provider,
        cursor,
      });
    },
    csv: csvTable(now),
  };
}

export const showClients: Handler = (context) => showList(context, clientList(context));

export const exportClients: Handler = (context) => exportList(clientList(context));
