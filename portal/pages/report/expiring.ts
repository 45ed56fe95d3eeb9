import { secondsPerDay } from '../../../contract/limits.ts';
import { dailyRunHour } from '../../../contract/notices.ts';
import { formatTime } from '../../../core/rfc3339.ts';
import { trunkGroupFilter } from '../../html/filters.ts';
import { type Html, html } from '../../html/html.ts';
import { dataTable } from '../../html/list.ts';
import { emptyState, linkButton } from '../../html/parts.ts';
import { endTime, formatMinute, lastUseText } from '../../html/time.ts';
import type { Handler, RequestContext } from '../../request-context.ts';
import { type CsvTable, exportList, type ListPage, showList } from '../list-page.ts';

type Report = Awaited<ReturnType<RequestContext['management']['listExpiring']>>;
type Credential = Report['items'][number];

const csv: CsvTable<Credential> = {
  name: 'expiring',
  columns: {
    expires_at: ({ expiresAt }) => formatTime(expiresAt),
    credential: ({ kind }) => kind,
    service_trunk_group: ({ serviceTrunkGroup }) => serviceTrunkGroup,
    client_id: (one) => (one.kind === 'api_key' ? undefined : one.clientId),
    client_name: (one) => (one.kind === 'api_key' ? undefined : one.clientName),
    secret_id: (one) => (one.kind === 'api_key' ? undefined : one.secretId),
    secret_name: (one) => (one.kind === 'api_key' ? undefined : one.secretName),
    last_used_on: ({ lastUsedOn }) => lastUsedOn,
    key_id: (one) => (one.kind === 'api_key' ? one.keyId : undefined),
    key_name: (one) => (one.kind === 'api_key' ? one.keyName : undefined),
    value_id: (one) => (one.kind === 'api_key' ? one.valueId : undefined),
  },
};

function nameCell({ href }: RequestContext, one: Credential): Html {
  return one.kind === 'api_key'
    ? html`
      <a class="row-link" href="${href(`/api-keys/${one.keyId}`)}">${one.keyName}</a>
      <span class="sub">API key${one.valueId !== undefined && ', only its old value'}</span>
    `
    : html`
      <a class="row-link" href="${href(`/clients/${one.clientId}`)}">${one.clientName}</a>
      <span class="sub">Secret ${one.secretName ?? one.secretId}</span>
    `;
}

/** If no run has listed anything. */
function emptyText(
  { href }: RequestContext,
  reportedAt: number | undefined,
): ListPage<never>['empty'] {
  const clients = html`
    <a href="${href('/clients', { order: 'expiry' })}">The clients by their first expiry</a>
  `;
  return reportedAt === undefined
    ? {
        title: 'No daily run has been made yet',
        text: html`
          It is made every day from ${dailyRunHour}:00 UTC on. ${clients} are up to date at any
          time.
        `,
      }
    : {
        title: `The daily run at ${formatMinute(reportedAt)} found nothing that expires within 30 days`,
        text: html`${clients} have what was created since.`,
      };
}

const columns = [
  { text: 'Client or API key' },
  { text: 'Expires' },
  { text: 'Trunk group' },
  { text: 'Last used', isMinor: true },
];

const expiringRow = (context: RequestContext, one: Credential) => [
  nameCell(context, one),
  endTime(one.expiresAt, context.now),
  one.serviceTrunkGroup,
  one.kind === 'api_key' && one.lastUsedOn === undefined
    ? 'On its page'
    : lastUseText(one.lastUsedOn, context.now),
];

/** Rows of the table of the first to expire. */
const maxFirst = 100;

/**
 * The first to expire of more clients than are read for one page: those of the report, as they are
 * now.
 *
 * @returns undefined without a report.
 */
export async function firstToExpire(
  context: RequestContext,
  { within, trunkGroup }: { readonly within: number; readonly trunkGroup: string | undefined },
): Promise<Html | undefined> {
  const { management, href, may, now, person } = context;
  if (!may('listExpiring')) return undefined;
  const page = await management.listExpiring({ asOfNow: true, limit: maxFirst, trunkGroup });
  if (page.reportedAt === undefined) return undefined;
  const items = page.items.filter((one) => one.kind !== 'api_key' && one.expiresAt <= now + within);
  const days = within / secondsPerDay;
  const isFull = page.items.length === maxFirst;
  return html`
    <p class="notice">
      ${
        page.isPartial === true
          ? 'Not everything that was changed since the last daily run was read: there may be more.'
          : isFull
            ? `These are the first of the secrets that expire within ${days} days, as they are now.`
            : `These are all secrets that expire within ${days} days, as they are now.`
      }
${' '}There are too many clients to put the others in order here: ${
    person.trunkGroups?.length === 1 ? '' : 'choose a trunk group, or '
  }download the file. <a href="${href('/expiring', { trunkGroup })}">The report of the day</a> has API
      keys, too.
    </p>
    ${
      items.length === 0
        ? emptyState(`No secret was found that expires within ${days} days`, '')
        : dataTable(
            'Clients by first expiry',
            columns,
            items.map((one) => expiringRow(context, one)),
          )
    }
    <div class="list-foot">
      ${linkButton(href('/clients/export', { trunkGroup, order: 'expiry' }), 'Download as CSV')}
    </div>
  `;
}

/** The list, which is read first: its lead says of when it is. */
async function expiringList(context: RequestContext): Promise<ListPage<Credential>> {
  const { management, query } = context;
  const trunkGroup = query.optional('trunkGroup');
  const { reportedAt } = await management.listExpiring({ limit: 1 });
  return {
    title: 'Expires within 30 days',
    lead:
      reportedAt === undefined
        ? 'Secrets and API keys that expire within 30 days, as a daily run lists them.'
        : `Secrets and API keys that expire within 30 days, as of the daily run at ${formatMinute(reportedAt)}. What was changed since is not in it.`,
    section: 'clients',
    path: '/expiring',
    what: 'secrets or API keys',
    create: undefined,
    query: { trunkGroup },
    labels: { trunkGroup: 'Trunk group', cursor: 'Page' },
    filterFields: (problems) => trunkGroupFilter(context, problems),
    columns,
    row: (one) => expiringRow(context, one),
    empty: emptyText(context, reportedAt),
    read: async (cursor) => {
      const { items, nextCursor } = await management.listExpiring({ trunkGroup, cursor });
      return { items, nextCursor, examined: items.length };
    },
    csv,
  };
}

export const showExpiring: Handler = async (context) =>
  showList(context, await expiringList(context));

export const exportExpiring: Handler = async (context) => exportList(await expiringList(context));
