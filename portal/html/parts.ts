import type { OperationName } from '../../adapters/management.ts';
import { fieldLabel, type LimitName, limitWords } from '../../contract/management/field-words.ts';
import { type Limits, limitNames } from '../../core/trunk-group/trunk-group-limits.ts';
import { type Html, type HtmlValue, html } from './html.ts';
import { formatExactSpan } from './time.ts';

const noLimit = html`<span class="muted">No limit</span>`;

function list(values: readonly string[]): HtmlValue {
  if (values.length === 0) return 'None';
  return html`<ul class="tags">${values.map((value) => html`<li><code>${value}</code></li>`)}</ul>`;
}

/** How the value of a limit reads. */
function show(name: LimitName, value: Limits[LimitName]): HtmlValue {
  const { zero, set, without } = limitWords[name];
  if (value === undefined || value === false) return without ?? noLimit;
  if (value === true) return set ?? 'Yes';
  if (typeof value !== 'number') return list(value);
  if (value === 0 && zero !== undefined) return zero;
  return `At most ${limitWords[name].kind === 'seconds' ? formatExactSpan(value) : value}`;
}

const isShown = (limit: string): limit is LimitName => Object.hasOwn(limitWords, limit);

/** @param limit by its name. A function of a later release may know others. */
export function limitLabel(limit: string): string {
  return isShown(limit) ? fieldLabel(limit) : limit;
}

export function limitValue(limits: Limits, limit: string): HtmlValue {
  return isShown(limit) ? show(limit, limits[limit]) : '';
}

/** The limits that exist; one sentence if there is none. */
export function limitSummary(limits: Limits): Html {
  const names = limitNames.filter((name) => limits[name] !== undefined);
  if (names.length === 0) return html`${noLimit}`;
  return html`${names.map(limitLabel).join(', ')}`;
}

/**
 * Every limit with its value, also those that do not exist.
 *
 * @param used how much of a limit is used, instead of its value.
 */
export function limitFacts(
  limits: Limits,
  used: Readonly<Partial<Record<keyof Limits, HtmlValue>>> = {},
): readonly Fact[] {
  return limitNames.map((name) => [limitLabel(name), used[name] ?? limitValue(limits, name)]);
}

export interface NavigationItem {
  readonly text: string;
  /** Shown to users with this permission. */
  readonly needs: OperationName;
}

/** The parts of the portal. Each but the first is at the path of its name. */
export const sections = {
  overview: { text: 'Overview', needs: 'listClients' },
  clients: { text: 'Clients', needs: 'listClients' },
  'api-keys': { text: 'API keys', needs: 'listApiKeys' },
  'identity-providers': { text: 'Identity providers', needs: 'listProviders' },
  'trunk-groups': { text: 'Trunk groups', needs: 'listTrunkGroupLimits' },
  explain: { text: 'Why refused?', needs: 'explainToken' },
  audit: { text: 'Audit', needs: 'listAudit' },
} as const satisfies Readonly<Record<string, NavigationItem>>;

export type Section = keyof typeof sections;

export interface Crumb {
  readonly text: string;
  readonly href: string;
}

/** The head of a page: if it is, what it is about, what can be done. */
export interface PageHead {
  readonly title: string;
  /** On the page. The default is the title. */
  readonly heading?: string | undefined;
  /** The pages between that of its section and it; undefined if it is not below that page. */
  readonly crumbs?: readonly Crumb[] | undefined;
  /** After the title. */
  readonly badge?: Html | undefined;
  /** Under the title. */
  readonly lead?: HtmlValue;
  readonly actions?: HtmlValue;
}

/** @param crumbs every page above it. */
export function pageHeader(head: PageHead, crumbs: readonly Crumb[] = []): Html {
  const actions =
    String(html`${head.actions}`) !== '' && html`<div class="actions">${head.actions}</div>`;
  const trail =
    crumbs.length > 0 &&
    html`<nav aria-label="Breadcrumb" class="crumbs"><ol>${crumbs.map(
      ({ text, href }) => html`<li><a href="${href}">${text}</a></li>`,
    )}</ol></nav>`;
  return html`
    ${trail}
    <header class="page-header">
      <div class="page-title">
        <h1>${head.heading ?? head.title}</h1>
        ${head.badge ?? ''}</div>
      ${actions}${head.lead === undefined ? '' : html`<p class="lead">${head.lead}</p>`}
    </header>
  `;
}

/** A part of a page, with a heading of its own. */
export function panel(
  part: {
    readonly title: string;
    readonly id: string;
    readonly note?: HtmlValue;
    readonly actions?: HtmlValue;
    readonly tone?: 'danger' | undefined;
  },
  body: HtmlValue,
): Html {
  return html`
    <section class="panel${part.tone === undefined ? '' : ` panel-${part.tone}`}" aria-labelledby="${part.id}">
      <div class="panel-head">
        <h2 id="${part.id}">
          ${part.title}</h2>
        ${part.actions === undefined ? '' : html`<div class="actions">${part.actions}</div>`}
        ${part.note === undefined ? '' : html`<p class="note">${part.note}</p>`}
      </div>
      ${body}
    </section>
  `;
}

/** What an action does, and the button or the link that begins it. */
interface Choice {
  readonly title: string;
  readonly text: HtmlValue;
  readonly action: Html;
}

/** Actions that stop something, next to each other. */
export function dangerPanel(title: string, choices: readonly Choice[]): Html {
  return panel(
    { title, id: 'danger', tone: 'danger' },
    html`
      <div class="choices">
        ${choices.map(
          (choice) => html`
        <div class="choice">
          <div>
            <h3>${choice.title}</h3>
            <p>${choice.text}</p>
          </div>
          ${choice.action}
        </div>
      `,
        )}
      </div>
    `,
  );
}

/** What a change does, before it is confirmed. */
export function consequences(...items: readonly HtmlValue[]): Html {
  return html`<ul class="consequences">${items.map((item) => item && html`<li>${item}</li>`)}</ul>`;
}

export type Fact = readonly [label: string, value: HtmlValue];

/** Names and values. */
export function factList(list: readonly (Fact | false | undefined)[]): Html {
  return html`<dl class="facts">${list.map(
    (fact) => fact && html`<div><dt>${fact[0]}</dt><dd>${fact[1]}</dd></div>`,
  )}</dl>`;
}

/** The text of an empty list. */
export function emptyState(title: string, text: HtmlValue, action?: Html): Html {
  return html`
    <div class="empty">
      <p class="empty-title">${title}</p>
      <p>${text}</p>
      ${action ?? ''}</div>
  `;
}

export function linkButton(
  href: string,
  text: string,
  kind: 'primary' | 'plain' | 'danger' = 'plain',
): Html {
  return html`<a class="button button-${kind}" href="${href}">${text}</a>`;
}

/** An identifier for copying: one click selects it, and the script adds a copy button. */
export function copyable(value: string, label: string): Html {
  return html`<span class="copyable"><code class="id" data-copy="${label}">${value}</code></span>`;
}

export function code(value: string): Html {
  return html`<code class="id">${value}</code>`;
}
