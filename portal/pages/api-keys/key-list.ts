import type { ApiKey } from '../../../adapters/management.ts';
import { isId } from '../../../core/credential/credential-value.ts';
import { findListed, readListFilter } from '../../forms/list-filter.ts';
import { problemAt } from '../../forms/problems.ts';
import { type Option, selectField, textField } from '../../html/field.ts';
import { enabledOptions, trunkGroupFilter } from '../../html/filters.ts';
import { linkButton } from '../../html/parts.ts';
import type { Handler } from '../../request-context.ts';
import { showList } from '../list-page.ts';
import { keyColumns, keyRow } from './key-row.ts';

const sourceOptions: readonly Option[] = [
  ['', 'Any'],
  ['any', 'Every address'],
  ['some', 'Subnets only'],
];

const anySources: ReadonlyMap<string, boolean> = new Map([
  ['any', true],
  ['some', false],
]);

export const showApiKeys: Handler = async (context) => {
  const { management, query, href, may } = context;
  const filter = readListFilter(query);
  const sources = query.optional('sources');
  return showList(context, {
    title: 'API keys',
    lead: 'Long-lived personal keys. Each stands for its whole trunk group.',
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
    },
    labels: { trunkGroup: 'Trunk group', cursor: 'Page' },
    filterFields: (problems) => [
      textField({ name: 'text', label: 'Name or id', value: query.text('text'), type: 'search' }),
      trunkGroupFilter(context, query.text('trunkGroup'), problemAt(problems, 'trunkGroup')),
      selectField({
        name: 'sources',
        label: 'Usable from',
        value: sources ?? '',
        options: sourceOptions,
      }),
      selectField({
        name: 'enabled',
        label: 'Status',
        value: query.text('enabled'),
        options: enabledOptions,
      }),
    ],
    columns: keyColumns,
    row: (key: ApiKey) => keyRow(context, key),
    empty: {
      title: 'No API keys yet',
      text: 'An API key is for a person. A program is better off as a client.',
    },
    read: (cursor) => {
      const { text = '' } = filter;
      if (isId('apiKey', text)) return findListed(() => management.findApiKey(text));
      const anySource = anySources.get(sources ?? '');
      return management.listApiKeys({ ...filter, anySource, cursor });
    },
  });
};
