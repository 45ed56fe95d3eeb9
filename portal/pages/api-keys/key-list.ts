import type { ApiKey } from '../../../adapters/management.ts';
import { secondsPerDay, secretExpiresSoonWithin } from '../../../contract/bounds.ts';
import { formatCidr } from '../../../core/api-key/subnet.ts';
import { isId } from '../../../core/credential/credential-value.ts';
import { formatTime } from '../../../core/time.ts';
import type { Option } from '../../html/field.ts';
import { filterSelect, findListed, ownedItemFilters, readListFilter } from '../../html/filters.ts';
import { linkButton } from '../../html/parts.ts';
import type { Handler, RequestContext } from '../../request-context.ts';
import { type CsvTable, exportList, type ListPage, showList } from '../list-page.ts';
import { keyColumns } from './key-row.ts';

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
