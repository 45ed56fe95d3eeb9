import { secondsPerDay } from '../../../contract/limits.ts';
import { formatDay, isDay } from '../../../core/rfc3339.ts';
import { html } from '../../html/html.ts';
import { emptyState, linkButton, pageHeader } from '../../html/parts.ts';
import type { Handler, Page, RequestContext, Section } from '../../request-context.ts';
import { type AuditEntry, auditEntry } from './audit-entry.ts';

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

/** Days on one page. Each is one read or more, and they run at the same time. */
const daysPerPage = 14;

/** A day with more records is read to its end, up to this many reads. */
const maxReadsOfDay = 10;

interface Day {
  readonly day: string;
  readonly entries: readonly AuditEntry[];
  /** Whether the day has more records than were read. */
  readonly isPartial: boolean;
}

async function readDay({ management }: RequestContext, day: string, text: string): Promise<Day> {
  const entries: AuditEntry[] = [];
  let cursor: string | undefined;
  for (let reads = 0; reads < maxReadsOfDay; reads++) {
    const page = await management.listAudit({ day, text, cursor });
    entries.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined) return { day, entries, isPartial: false };
  }
  return { day, entries, isPartial: true };
}

/** The days of a page, the newest first, down to the day of the creation. */
function daysFrom(last: string, createdAt: number): readonly string[] {
  const end = Math.floor(Date.parse(last) / 1000);
  const first = formatDay(createdAt);
  return Array.from({ length: daysPerPage }, (_, index) =>
    formatDay(end - index * secondsPerDay),
  ).filter((day) => day >= first);
}

function dayPart(context: RequestContext, { day, entries, isPartial }: Day) {
  return (
    (entries.length > 0 || isPartial) &&
    html`<h2>${day}</h2><ol class="entries">${entries.map((entry) => auditEntry(context, entry))}</ol>${
      isPartial &&
      html`<p class="muted">This day has more changes than were read. <a href="${context.href('/audit', { day })}">All changes of the day</a></p>`
    }`
  );
}

/** The changes of a record and of what belongs to it, over days. */
async function showHistory(context: RequestContext, subject: Subject): Promise<Page> {
  const { href, now, query } = context;
  const given = query.text('until');
  const last = isDay(given) ? given : formatDay(now);
  const wanted = daysFrom(last, subject.createdAt);
  const days = await Promise.all(wanted.map((day) => readDay(context, day, subject.id)));
  const isEmpty = days.every(({ entries, isPartial }) => entries.length === 0 && !isPartial);
  const oldest = wanted.at(-1) ?? last;
  const before = formatDay(Math.floor(Date.parse(oldest) / 1000) - secondsPerDay);
  const hasMore = before >= formatDay(subject.createdAt);
  return {
    title: `History of ${subject.name}`,
    section: subject.section,
    body: html`${pageHeader({
      title: `History of ${subject.name}`,
      crumbs: [
        { text: subject.list.text, href: href(subject.list.path) },
        { text: subject.name, href: href(subject.path) },
      ],
      lead: html`Changes from ${oldest} to ${last}, as this region recorded them. Times are UTC.`,
    })}${
      isEmpty
        ? emptyState('Nothing was changed in these days', hasMore ? 'Look at earlier days.' : '')
        : days.map((day) => dayPart(context, day))
    }${
      hasMore &&
      html`<nav class="pager" aria-label="Pages">${linkButton(href(`${subject.path}/history`, { until: before }), 'Earlier')}</nav>`
    }`,
  };
}

export const showClientHistory: Handler = async (context) => {
  context.require('listAudit');
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
  context.require('listAudit');
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
