import { formatDay } from '../../../core/time.ts';
import { type Html, html } from '../../html/html.ts';
import { emptyState, type Fact, linkButton, type Section } from '../../html/parts.ts';
import { timeWithDistance } from '../../html/time.ts';
import type { Handler, Page, RequestContext } from '../../request-context.ts';
import { auditEntry } from './audit-entry.ts';

type History = Awaited<ReturnType<RequestContext['management']['listHistory']>>;

function entriesOf(context: RequestContext, { items }: History, about: string): readonly Html[] {
  const regions = new Set(items.map(({ region }) => region));
  const days = Map.groupBy(items, ({ time }) => time.slice(0, 'yyyy-mm-dd'.length));
  return [...days].map(
    ([day, changes]) =>
      html`<h2>${day}</h2><ol class="entries">${changes.map((change) =>
        auditEntry(context, change, {
          about,
          region: regions.size > 1 ? change.region : undefined,
        }),
      )}</ol>`,
  );
}

/** Changes are missing, so this is more than a hint. */
function unreadPart({ unread }: History): Html | '' {
  if (unread.length === 0) return '';
  const names = unread.map(({ region }) => region).join(', ');
  return html`
    <p class="notice notice-warn" role="alert">
      The audit of ${names} could not be read: its changes are missing here. Load the page again.
    </p>
  `;
}

/** The changes of a record and of what belongs to it, over days, in all regions. */
async function showHistory(
  context: RequestContext,
  section: Section,
  id: string,
  { name, createdAt }: { readonly name: string; readonly createdAt: number },
): Promise<Page> {
  const { href, query, management } = context;
  const path = `/${section}/${id}`;
  const history = await management.listHistory(id, {
    since: formatDay(createdAt),
    cursor: query.optional('cursor'),
  });
  const { since, until, items, nextCursor: cursor } = history;
  return {
    title: `History of ${name}`,
    section,
    crumbs: [{ text: name, href: href(path) }],
    lead: html`Changes ${since === until ? `of ${since}` : `from ${since} to ${until}`}, in all regions. Times are UTC.`,
    body: html`${unreadPart(history)}${
      items.length === 0
        ? emptyState(
            'Nothing was changed in these days',
            cursor === undefined ? '' : 'Look at earlier days.',
          )
        : entriesOf(context, history, id)
    }${
      cursor !== undefined &&
      html`<nav class="pager" aria-label="Pages">${linkButton(href(`${path}/history`, { cursor }), 'Earlier')}</nav>`
    }`,
  };
}

/** When a record was changed, with a link to the changes. */
export function changedFact({ href, may, now }: RequestContext, path: string, at: number): Fact {
  const link = may('listHistory') && html` · <a href="${href(`${path}/history`)}">History</a>`;
  return ['Changed', html`${timeWithDistance(at, now)}${link}`];
}

export const showClientHistory: Handler = async (context) => {
  context.require('listHistory');
  const client = await context.management.findClient(context.id('clientId'));
  return showHistory(context, 'clients', client.clientId, client);
};

export const showApiKeyHistory: Handler = async (context) => {
  context.require('listHistory');
  const key = await context.management.findApiKey(context.id('keyId'));
  return showHistory(context, 'api-keys', key.keyId, key);
};
