import type { ApiKey } from '../../../adapters/management.ts';
import { secondsPerDay, secretExpiresSoonWithin } from '../../../contract/bounds.ts';
import { fieldLabel } from '../../../contract/management/field-words.ts';
import { formatCidr } from '../../../core/api-key/subnet.ts';
import { secretStatus } from '../../../core/client/client.ts';
import { isId } from '../../../core/credential/credential-value.ts';
import { formatTime } from '../../../core/time.ts';
import type { Option } from '../../html/field.ts';
import { filterSelect, findListed, ownedItemFilters, readListFilter } from '../../html/filters.ts';
import { type Html, type HtmlValue, html } from '../../html/html.ts';
import { badge, type Column, statedLink } from '../../html/list.ts';
import { type Fact, linkButton } from '../../html/parts.ts';
import { lastUseText, timeWithDistance } from '../../html/time.ts';
import type { Handler, RequestContext } from '../../request-context.ts';
import { type CsvTable, exportList, type ListPage, showList } from '../list-page.ts';

/** What a person should know of the subnets of a key. */
export function warningNotes(warnings: readonly string[]): Html {
  return html`${warnings.map((one) => html`<p class="note">${badge('warn', 'Look')} ${one}</p>`)}`;
}

/** A warning for a key that every address may use, unless it is disabled. */
export function sourcesSummary({ subnets, enabled }: ApiKey): Html {
  const [first, ...others] = subnets;
  if (first === undefined) {
    return enabled ? badge('warn', 'Any address') : html`<span class="muted">Any address</span>`;
  }
  return html`<code>${formatCidr(first)}</code>${
    others.length > 0 && html` <span class="muted">+${others.length}</span>`
  }`;
}

/** What a key may do, with what it means if that is everything. */
export function scopesSummary({ scopes }: ApiKey): HtmlValue {
  return scopes === undefined
    ? 'Every scope: anyone who has the key can do everything that the platform’s APIs offer the trunk group'
    : scopes.join(', ');
}

/**
 * The values that rotations have replaced, and how long they work: no longer than the key.
 *
 * @param end a link that ends one that works.
 */
export function oldValueFacts(
  { oldValues = [], expiresAt: keyEnd = Number.POSITIVE_INFINITY }: ApiKey,
  now: number,
  end: Html | '' = '',
): readonly Fact[] {
  return oldValues.map(({ expiresAt }) => {
    const first = Math.min(expiresAt, keyEnd);
    const summary = expirySummary({ expiresAt: first, enabled: false }, now);
    return ['Old value expires', first > now ? html`${summary}${end}` : summary];
  });
}

function useSummary({ isLastUseUnread }: ApiKey, day: string | undefined, now: number): HtmlValue {
  if (isLastUseUnread === true) return html`<span class="muted">Could not be read now</span>`;
  if (day === undefined) return html`<span class="muted">Not recorded</span>`;
  return html`<span title="${day} UTC">${lastUseText(day, now)}</span>`;
}

/** When the values of a key were last used. After a rotation: whether callers have changed to the new one. */
export function useFacts(key: ApiKey, now: number): readonly Fact[] {
  const { oldValues = [], lastUsedOn } = key;
  if (oldValues.length === 0) return [[fieldLabel('lastUsedOn'), useSummary(key, lastUsedOn, now)]];
  return [
    ['New value last used', useSummary(key, lastUsedOn, now)],
    ...oldValues.map((old): Fact => ['Old value last used', useSummary(key, old.lastUsedOn, now)]),
  ];
}

/** When a key expires, with a warning if that is soon or was. */
export function expirySummary(
  { expiresAt, enabled }: Pick<ApiKey, 'expiresAt' | 'enabled'>,
  now: number,
): HtmlValue {
  if (expiresAt === undefined) return html`<span class="muted">Never</span>`;
  const status = secretStatus({ expiresAt }, now);
  const time = timeWithDistance(expiresAt, now);
  if (status === 'expired') return html`${badge('off', 'Expired')} ${time}`;
  return status === 'expires_soon' && enabled
    ? html`${badge('warn', 'Expires soon')} ${time}`
    : time;
}

export function keyColumns({ href, now }: RequestContext): readonly Column<ApiKey>[] {
  return [
    [
      'API key',
      ({ keyId, name, enabled }) => statedLink(href(`/api-keys/${keyId}`), name, enabled),
    ],
    ['Key id', ({ keyId }) => html`<code>${keyId}</code>`, 'wide'],
    ['Trunk group', ({ serviceTrunkGroup }) => serviceTrunkGroup, 'minor'],
    ['Usable from', sourcesSummary],
    ['Expires', (key) => expirySummary(key, now)],
    [fieldLabel('lastUsedOn'), (key) => useSummary(key, key.lastUsedOn, now), 'minor'],
  ];
}

const sourceOptions: readonly Option[] = [
  ['', 'Any'],
  ['any', 'Every address'],
  ['some', 'Subnets only'],
];

const expiresOptions: readonly Option[] = [
  ['', 'Any'],
  ['soon', `Within ${secretExpiresSoonWithin / secondsPerDay} days`],
];

const anySources: ReadonlyMap<string, boolean> = new Map([
  ['any', true],
  ['some', false],
]);

const csv: CsvTable<ApiKey> = {
  name: 'api-keys',
  columns: {
    key_id: ({ keyId }) => keyId,
    name: ({ name }) => name,
    service_trunk_group: ({ serviceTrunkGroup }) => serviceTrunkGroup,
    enabled: ({ enabled }) => (enabled ? 'yes' : 'no'),
    subnets: ({ subnets }) => subnets.map(formatCidr).join(' '),
    expires_at: ({ expiresAt }) => (expiresAt === undefined ? undefined : formatTime(expiresAt)),
    last_used_on: ({ lastUsedOn }) => lastUsedOn,
    created_at: ({ createdAt }) => formatTime(createdAt),
  },
};

function keyList(context: RequestContext): ListPage<ApiKey> {
  const { management, query, href, may } = context;
  const filter = readListFilter(query);
  const sources = query.optional('sources');
  const expires = query.optional('expires');
  return {
    title: 'API keys',
    lead: 'Long-lived keys of a trunk group. A key without scopes of its own has every scope. A new one appears here within seconds.',
    section: 'api-keys',
    path: '/api-keys',
    what: 'API keys',
    create: may('createApiKey')
      ? linkButton(href('/api-keys/new'), 'New API key', 'primary')
      : undefined,
    query: {
      text: filter.text,
      trunkGroup: filter.trunkGroup,
      enabled: query.optional('enabled'),
      sources,
      expires,
    },
    labels: { trunkGroup: 'Trunk group', cursor: 'Page' },
    filterFields: (problems) =>
      ownedItemFilters(
        context,
        problems,
        filterSelect(query, 'sources', 'Usable from', sourceOptions),
        filterSelect(query, 'expires', 'Expires', expiresOptions),
      ),
    columns: keyColumns(context),
    empty: {
      title: 'No API keys yet',
      text: 'An API key is for a person. A program is better off as a client.',
    },
    read: (cursor) => {
      const { text = '' } = filter;
      if (isId('apiKey', text)) return findListed(() => management.findApiKey(text));
      const anySource = anySources.get(sources ?? '');
      const expiresWithin = expires === 'soon' ? secretExpiresSoonWithin : undefined;
      const filters = { ...filter, anySource, expiresWithin };
      return management.listApiKeys({ ...filters, cursor });
    },
    csv,
  };
}

export const showApiKeys: Handler = (context) => showList(context, keyList(context));

export const exportApiKeys: Handler = (context) => exportList(keyList(context));
