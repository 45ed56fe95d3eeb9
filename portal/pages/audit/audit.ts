import { secondsPerDay } from '../../../contract/bounds.ts';
import { formatDay, isDay } from '../../../core/time.ts';
import { noProblems, problemAt, problemsOf } from '../../forms/problems.ts';
import { textField } from '../../html/field.ts';
import { filterForm } from '../../html/filters.ts';
import { type Html, html } from '../../html/html.ts';
import { emptyState, linkButton } from '../../html/parts.ts';
import type { Handler, RequestContext } from '../../request-context.ts';
import { type AuditEntry, auditEntry } from './audit-entry.ts';

/** Changes on one page, each of two records. */
const recordsPerPage = 200;

function otherDay(day: string, days: number): string {
  return formatDay(Math.floor(Date.parse(day) / 1000) + days * secondsPerDay);
}

function dayNavigation({ href, now }: RequestContext, day: string, text: string | undefined): Html {
  const next = otherDay(day, 1);
  return html`
    <nav class="days" aria-label="Days">
      <a class="button button-plain" href="${href('/audit', { day: otherDay(day, -1), text })}">
      ← ${otherDay(day, -1)}</a>
      <h2>${day}</h2>
      ${
        next <= formatDay(now) &&
        html`<a class="button button-plain" href="${href('/audit', { day: next, text })}">${next} →</a>`
      }
    </nav>
  `;
}

/** Days that one search reads. */
const searchedDays = 7;

/** Reads of one search, of all its days. */
const maxReads = 20;

type DayOfEntries = readonly [day: string, entries: readonly AuditEntry[]];

/** What a page of the audit has, and where it goes on. */
interface Found {
  readonly days: readonly DayOfEntries[];
  readonly next?: { readonly day: string; readonly cursor?: string | undefined } | undefined;
}

/** The changes of a day; with a text, those of the days before, too. */
async function findEntries(
  { management }: RequestContext,
  query: {
    readonly day: string;
    readonly text?: string | undefined;
    readonly cursor?: string | undefined;
  },
): Promise<Found> {
  const days: DayOfEntries[] = [];
  let { day, cursor } = query;
  let reads = 0;
  const count = query.text === undefined ? 1 : searchedDays;
  for (let index = 0; index < count; index++) {
    const entries: AuditEntry[] = [];
    do {
      const page = await management.listAudit({ ...query, day, cursor, limit: recordsPerPage });
      entries.push(...page.items);
      cursor = page.nextCursor;
      reads += 1;
    } while (cursor !== undefined && query.text !== undefined && reads < maxReads);
    days.push([day, entries]);
    if (cursor !== undefined) return { days, next: { day, cursor } };
    day = otherDay(day, -1);
    if (reads >= maxReads) break;
  }
  return { days, next: query.text === undefined ? undefined : { day } };
}

/** The changes of a day. Those that may be incomplete come first. */
function dayOfEntries(
  context: RequestContext,
  [day, entries]: DayOfEntries,
  isOnly: boolean,
): Html {
  const unfinished = entries.filter(({ outcome }) => outcome === 'unfinished');
  const others = entries.filter(({ outcome }) => outcome !== 'unfinished');
  const list = [...unfinished, ...others].map((entry) => auditEntry(context, entry));
  return html`${!isOnly && html`<h2>${day}</h2>`}<ol class="entries">${list}</ol>`;
}

function entriesPart(
  context: RequestContext,
  { day, text }: { readonly day: string; readonly text: string | undefined },
  { days, next }: Found,
): Html {
  const found = days.filter(([, entries]) => entries.length > 0);
  const none =
    text === undefined
      ? 'Nothing was changed on this day'
      : `No change from ${days.at(-1)?.[0] ?? day} to ${day} matches`;
  return html`
    ${
      found.length === 0
        ? emptyState(none, 'Look at other days, or clear the filter.')
        : found.map((one) => dayOfEntries(context, one, text === undefined))
    }
    ${
      next !== undefined &&
      html`
        <nav class="pager" aria-label="Pages">
          ${linkButton(
            context.href('/audit', { ...next, text }),
            next.cursor === undefined ? `Search from ${next.day} back` : 'Earlier on this day',
          )}
        </nav>
      `
    }
  `;
}

export const showAudit: Handler = async (context) => {
  const { query, href, now } = context;
  const text = query.text('text').trim() || undefined;
  const day = query.optional('day') ?? formatDay(now);
  let problems = noProblems;
  const found = await findEntries(context, { day, text, cursor: query.optional('cursor') }).catch(
    (error: unknown): Found => {
      problems = problemsOf(error) ?? noProblems;
      if (problems.status !== 422) throw error;
      return { days: [] };
    },
  );
  return {
    title: 'Audit',
    section: 'audit',
    lead: `Who changed what, as this region recorded it. A search reads ${searchedDays} days. Times are UTC; changes that may be incomplete come first.`,
    problems,
    labels: { day: 'Day', text: 'Text', cursor: 'Page' },
    body: html`
      ${filterForm(href('/audit'), text !== undefined || query.optional('day') !== undefined, [
        textField({
          name: 'day',
          label: 'Day (UTC)',
          value: day,
          type: 'date',
          error: problemAt(problems, 'day'),
        }),
        textField({
          name: 'text',
          label: 'Who, what or id',
          value: text ?? '',
          type: 'search',
          error: problemAt(problems, 'text'),
        }),
      ])}
      ${isDay(day) && dayNavigation(context, day, text)}
      ${entriesPart(context, { day, text }, found)}
    `,
  };
};
