import { formatDay } from '../../../core/rfc3339.ts';
import { type Html, html } from '../../html/html.ts';
import { emptyState, linkButton, pageHeader } from '../../html/parts.ts';
import type { Handler, Page, RequestContext, Section } from '../../request-context.ts';
import { auditEntry } from './audit-entry.ts';

/** What the history is of. */
interface Subject {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  /** The page of it. */
  readonly path: string;
  readonly section: Section;
  readonly list: { readonly text: string; readonly path: string };
}

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
async function showHistory(context: RequestContext, subject: Subject): Promise<Page> {
  const { href, query, management } = context;
  const history = await management.listHistory(subject.id, {
    since: formatDay(subject.createdAt),
    cursor: query.optional('cursor'),
  });
  const { since, until, items, nextCursor: cursor } = history;
  return {
    title: `History of ${subject.name}`,
    section: subject.section,
    body: html`${pageHeader({
      title: `History of ${subject.name}`,
      crumbs: [
        { text: subject.list.text, href: href(subject.list.path) },
        { text: subject.name, href: href(subject.path) },
      ],
      lead: html`Changes ${since === until ? `of ${since}` : `from ${since} to ${until}`}, in all regions. Times are UTC.`,
    })}${unreadPart(history)}${
      items.length === 0
        ? emptyState(
            'Nothing was changed in these days',
            cursor === undefined ? '' : 'Look at earlier days.',
          )
        : entriesOf(context, history, subject.id)
    }${
      cursor !== undefined &&
      html`
        <nav class="pager" aria-label="Pages">
          ${linkButton(href(`${subject.path}/history`, { cursor }), 'Earlier')}
        </nav>
      `
    }`,
  };
}

export const showClientHistory: Handler = async (context) => {
  context.require('listHistory');
  const { clientId, name, createdAt } = await context.management.findClient(context.id('clientId'));
  return showHistory(context, {
    id: clientId,
    name,
    createdAt,
    path: `/clients/${clientId}`,
    section: 'clients',
    list: { text: 'Clients', path: '/clients' },
  });
};

export const showApiKeyHistory: Handler = async (context) => {
  context.require('listHistory');
  const { keyId, name, createdAt } = await context.management.findApiKey(context.id('keyId'));
  return showHistory(context, {
    id: keyId,
    name,
    createdAt,
    path: `/api-keys/${keyId}`,
    section: 'api-keys',
    list: { text: 'API keys', path: '/api-keys' },
  });
};
