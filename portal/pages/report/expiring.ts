import { compareEnds, type ExpiringCredential } from '../../../core/credential/credential-ends.ts';
import { formatTime } from '../../../core/time.ts';
import { clientPath } from '../../client-path.ts';
import { trunkGroupFilter } from '../../html/filters.ts';
import { type Html, html } from '../../html/html.ts';
import { rowLink } from '../../html/list.ts';
import { endTime } from '../../html/time.ts';
import type { Handler, RequestContext } from '../../request-context.ts';
import { type CsvTable, exportList, type ListPage, showList } from '../list-page.ts';

const onlyOf =
  (kind: ExpiringCredential['kind'], cell: (one: ExpiringCredential) => string | undefined) =>
  (one: ExpiringCredential) =>
    one.kind === kind ? cell(one) : undefined;

const csv: CsvTable<ExpiringCredential> = {
  name: 'expiring',
  columns: {
    expires_at: ({ expiresAt }) => formatTime(expiresAt),
    credential: ({ kind }) => kind,
    service_trunk_group: ({ serviceTrunkGroup }) => serviceTrunkGroup,
    client_id: onlyOf('client_secret', ({ id }) => id),
    client_name: onlyOf('client_secret', ({ name }) => name),
    secret_id: onlyOf('client_secret', ({ valueId }) => valueId),
    key_id: onlyOf('api_key', ({ id }) => id),
    key_name: onlyOf('api_key', ({ name }) => name),
    value_id: onlyOf('api_key', ({ valueId }) => valueId),
  },
};

function nameCell({ href }: RequestContext, { kind, id, name, valueId }: ExpiringCredential): Html {
  const [path, text] =
    kind === 'api_key'
      ? [`/api-keys/${id}`, html`API key${valueId !== undefined && ', only its old value'}`]
      : [clientPath(id), html`Secret ${valueId}`];
  return html`${rowLink(href(path), name)}<span class="sub">${text}</span>`;
}

function expiringList(context: RequestContext): ListPage<ExpiringCredential> {
  const { management, query, now } = context;
  const trunkGroup = query.optional('trunkGroup');
  return {
    title: 'Expires within 30 days',
    lead: 'Secrets and API keys that work and expire within 30 days, by their end.',
    section: 'clients',
    path: '/expiring',
    what: 'secrets or API keys',
    create: undefined,
    query: { trunkGroup },
    labels: { trunkGroup: 'Trunk group', cursor: 'Page' },
    filterFields: (problems) => trunkGroupFilter(context, problems),
    columns: [
      ['Client or API key', (one) => nameCell(context, one)],
      ['Expires', ({ expiresAt }) => endTime(expiresAt, now)],
      ['Trunk group', ({ serviceTrunkGroup }) => serviceTrunkGroup],
    ],
    empty: { title: 'Nothing expires within 30 days', text: '' },
    read: (cursor) => management.listExpiring({ trunkGroup, cursor }),
    compare: compareEnds,
    csv,
  };
}

export const showExpiring: Handler = (context) => showList(context, expiringList(context));

export const exportExpiring: Handler = (context) => exportList(expiringList(context));
