import type { Management } from '../../../adapters/management.ts';
import { secondsPerDay } from '../../../contract/bounds.ts';
import { type FieldUnit, wordsOfWireName } from '../../../contract/management/field-words.ts';
import { describeAction } from '../../../core/audit/audit-log.ts';
import { platformStaff } from '../../../core/audit/person-name.ts';
import { formatDay, isDay, parseTime } from '../../../core/time.ts';
import { clientPath } from '../../client-path.ts';
import { noProblems, problemAt, problemsOf } from '../../forms/problems.ts';
import { textField } from '../../html/field.ts';
import { filterForm } from '../../html/filters.ts';
import { type Html, html } from '../../html/html.ts';
import { badge } from '../../html/list.ts';
import { emptyState, type Fact, linkButton, type Section } from '../../html/parts.ts';
import { formatExactSpan, formatMinute, timeWithDistance } from '../../html/time.ts';
import type { Handler, HtmlPage, RequestContext } from '../../request-context.ts';

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
): Promise<HtmlPage> {
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

export type AuditEntry = Awaited<ReturnType<Management['listAudit']>>['items'][number];

const outcomes = {
  // A successful change has no badge.
  done: '',
  failed: badge('off', 'Failed: nothing changed'),
  unfinished: badge('warn', 'Unfinished: check it'),
} as const;

const staffBadge = badge('info', platformStaff);

/** The staff has a badge, as any text can be a person's name. The subject stays visible. */
function actorOf({ actor, actorName, actorIsStaff }: AuditEntry): Html {
  if (actor === platformStaff) return staffBadge;
  return html`${actorIsStaff && html`${staffBadge} `}${actorName && html`<bdi>${actorName}</bdi> `}<code>${actor}</code>`;
}

type State = Readonly<Record<string, unknown>>;

/** Members that are not useful for readers of a change. */
const silent = new Set(['updated_at', 'version', 'client_version']);

interface ShownSecret {
  readonly secret_id: string;
  readonly name?: string;
  readonly expires_at?: string;
}

function isSecret(value: unknown): value is ShownSecret {
  return typeof value === 'object' && value !== null && 'secret_id' in value;
}

/** An old secret of a rotation: `blue, 2026-11-30 22:45 UTC`. */
function showSecret({ secret_id, name, expires_at = '' }: ShownSecret): string {
  const end = parseTime(expires_at);
  const secret = name ?? secret_id;
  return end === undefined ? secret : `${secret}: ${formatMinute(end)}`;
}

/** A value in words: `30 minutes`, `2026-11-21 10:30 UTC`, `yes`. */
function show(value: unknown, unit: FieldUnit | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && unit === 'seconds') return formatExactSpan(value);
  if (typeof value === 'string') {
    const time = unit === 'time' ? parseTime(value) : undefined;
    return time === undefined ? value : formatMinute(time);
  }
  if (Array.isArray(value) && value.length > 0 && value.every(isSecret)) {
    return value.map(showSecret).join(', ');
  }
  const isOfTexts = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return isOfTexts ? value.join(', ') : JSON.stringify(value);
}

/** A difference between two states in words: its name, the old and the new value. */
function differences(
  before: State = {},
  after: State = {},
): readonly (readonly [name: string, was: string, became: string])[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  // A client that was just created had no tokens.
  const { tokens_not_before: revoked, created_at: created } = after;
  const isFirst = before['created_at'] === undefined && revoked === created;
  return names
    .filter((name) => !silent.has(name) && !(isFirst && name === 'tokens_not_before'))
    .map((name) => {
      const { label, unit } = wordsOfWireName(name) ?? { label: name };
      return [label, show(before[name], unit), show(after[name], unit)] as const;
    })
    .filter(([, was, became]) => was !== became);
}

function changes({ before, after }: AuditEntry): Html | '' {
  const rows = differences(before, after);
  if (rows.length === 0) return '';
  return html`
    <details>
      <summary>What changed</summary>
      <table class="changes">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ([name, was, became]) =>
              html`
                <tr>
                  <th scope="row">${name}</th>
                  <td>${was}</td>
                  <td>${became}</td>
                </tr>
              `,
          )}
        </tbody>
      </table>
    </details>
  `;
}

/** The address of the changed item's page, if it still has one. */
function addressOf({
  action,
  subject,
  after,
  before,
}: AuditEntry): readonly [string, Record<string, string>?] | undefined {
  const client = (after ?? before)?.client_id;
  if (typeof client === 'string') return [clientPath(client)];
  if (action.startsWith('trunk_group_limits.')) return [`/trunk-groups/${subject}`];
  if (subject.startsWith('key_')) return [`/api-keys/${subject}`];
  if (subject.startsWith('https://')) return ['/identity-providers/show', { issuer: subject }];
  return undefined;
}

function nameOf({ before, after }: AuditEntry): string | undefined {
  const name = after?.name ?? before?.name;
  return typeof name === 'string' ? name : undefined;
}

/** On a page of one item, or of all regions. */
interface Shown {
  /** The id of the item that the page is about: its changes need not name it. */
  readonly about?: string;
  /** Whose audit has it, if the others are shown with it. */
  readonly region?: string | undefined;
}

/** One change: time, action, subject, actor and outcome. */
export function auditEntry(
  { href }: RequestContext,
  entry: AuditEntry,
  { about, region }: Shown = {},
): Html {
  const address = addressOf(entry);
  const name = nameOf(entry);
  const subject = html`${name !== undefined && html`${name} `}<code>${entry.subject}</code>`;
  const linked =
    address === undefined || entry.action.endsWith('.delete')
      ? subject
      : html`<a href="${href(...address)}">${subject}</a>`;
  return html`
    <li class="entry entry-${entry.outcome}">
      <time datetime="${entry.time}">${entry.time.slice(11, 19)}</time>
      <p class="entry-action">${describeAction(entry.action)} ${outcomes[entry.outcome]}</p>
      <p class="entry-subject">${entry.subject !== about && linked}</p>
      <p class="entry-actor muted">${actorOf(entry)}${region && html`, in ${region}`}</p>
      ${changes(entry)}
    </li>
  `;
}

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
