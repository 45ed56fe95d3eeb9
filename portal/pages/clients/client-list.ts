import type { Client } from '../../../adapters/management.ts';
import { secondsPerDay, secretExpiresSoonWithin } from '../../../contract/limits.ts';
import { isId } from '../../../core/credential/credential-value.ts';
import { findListed, readListFilter } from '../../forms/list-filter.ts';
import { problemAt } from '../../forms/problems.ts';
import { type Option, selectField, textField } from '../../html/field.ts';
import { enabledOptions, trunkGroupFilter } from '../../html/filters.ts';
import { linkButton } from '../../html/parts.ts';
import type { Handler } from '../../request-context.ts';
import { showList } from '../list-page.ts';
import { clientColumns, clientRow } from './client-row.ts';

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

export const showClients: Handler = async (context) => {
  const { management, query, href, may } = context;
  const filter = readListFilter(query);
  const [secrets, provider] = [query.optional('secrets'), query.optional('provider')];
  return showList(context, {
    title: 'Clients',
    lead: 'Programs that get access tokens with an id and a secret.',
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
    filterFields: (problems) => [
      textField({ name: 'text', label: 'Name or id', value: query.text('text'), type: 'search' }),
      trunkGroupFilter(context, query.text('trunkGroup'), problemAt(problems, 'trunkGroup')),
      selectField({
        name: 'secrets',
        label: 'Secrets',
        value: secrets ?? '',
        options: secretOptions,
      }),
      selectField({
        name: 'enabled',
        label: 'Status',
        value: query.text('enabled'),
        options: enabledOptions,
      }),
    ],
    columns: clientColumns,
    row: (client: Client) => clientRow(context, client),
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
  });
};
