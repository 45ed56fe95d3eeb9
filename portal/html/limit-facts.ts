import { fieldLabel, type LimitName, limitWords } from '../../contract/management/field-words.ts';
import { type Limits, limitNames } from '../../core/trunk-group/trunk-group-limits.ts';
import { type Html, type HtmlValue, html } from './html.ts';
import type { Fact } from './parts.ts';
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
