import { secondsPerDay } from '../../../contract/limits.ts';
import { formatDay, isDay } from '../../../core/rfc3339.ts';
import { noProblems, problemAt, problemsOf } from '../../forms/problems.ts';
import { textField } from '../../html/field.ts';
import { filterForm } from '../../html/filters.ts';
import { errorSummary } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { emptyState, linkButton, pageHeader } from '../../html/parts.ts';
import type { Handler, RequestContext } from '../../request-context.ts';
import { auditEntry } from './audit-entry.ts';

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
        next > formatDay(now)
          ? ''
          : html`
        <a class="button button-plain" href="${href('/audit', { day: next, text })}">${next} →</a>
      `
      }
    </nav>
  `;
}

export const showAudit: Handler = async (context) => {
  const { management, query, href, now } = context;
  const text = query.text('text').trim() || undefined;
  const cursor = query.optional('cursor');
  const day = query.optional('day') ?? formatDay(now);
  const filter = { day, text, cursor, limit: recordsPerPage };
  let problems = noProblems;
  const page = await management.listAudit(filter).catch((error: unknown) => {
    problems = problemsOf(error) ?? noProblems;
    if (problems.status !== 422) throw error;
    return { items: [], nextCursor: undefined };
  });
  const unfinished = page.items.filter(({ outcome }) => outcome === 'unfinished');
  const others = page.items.filter(({ outcome }) => outcome !== 'unfinished');
  const list = [...unfinished, ...others].map((entry) => auditEntry(context, entry));
  return {
    status: problems.status,
    title: 'Audit',
    section: 'audit',
    body: html`${pageHeader({
      title: 'Audit',
      lead: 'Who changed what, as this region recorded it. Times are UTC; changes that may be incomplete come first.',
    })}${errorSummary(problems, { day: 'Day', text: 'Text', cursor: 'Page' })}${filterForm(
      href('/audit'),
      text !== undefined || query.optional('day') !== undefined,
      [
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
      ],
    )}${isDay(day) && dayNavigation(context, day, text)}${
      list.length === 0
        ? emptyState(
            text === undefined ? 'Nothing was changed on this day' : 'No change matches',
            'Look at another day, or clear the filter.',
          )
        : html`<ol class="entries">${list}</ol>`
    }${
      page.nextCursor !== undefined &&
      html`
        <nav class="pager" aria-label="Pages">
          ${linkButton(href('/audit', { day, text, cursor: page.nextCursor }), 'Earlier on this day')}
        </nav>
      `
    }`,
  };
};
