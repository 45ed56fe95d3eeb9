import type { Management } from '../../../adapters/management.ts';
import { type FieldUnit, wordsOfWireName } from '../../../contract/management/field-words.ts';
import { describeAction } from '../../../core/audit/audit-log.ts';
import { platformStaff } from '../../../core/audit/person-name.ts';
import { parseTime } from '../../../core/time.ts';
import { clientPath } from '../../client-path.ts';
import { type Html, html } from '../../html/html.ts';
import { badge } from '../../html/list.ts';
import { formatExactSpan, formatMinute } from '../../html/time.ts';
import type { RequestContext } from '../../request-context.ts';

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
