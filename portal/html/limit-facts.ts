import { fieldLabel } from '../../contract/management/field-words.ts';
import { requiredSubnetText } from '../../contract/required-subnet.ts';
import type { GrantLimits } from '../../core/trunk-group/trunk-group-limits.ts';
import { type Html, type HtmlValue, html } from './html.ts';
import type { Fact } from './parts.ts';
import { formatExactSpan } from './time.ts';

const noLimit = html`<span class="muted">No limit</span>`;

function list(values: readonly string[] | undefined): HtmlValue {
  if (values === undefined) return noLimit;
  if (values.length === 0) return 'None';
  return html`<ul class="tags">${values.map((value) => html`<li><code>${value}</code></li>`)}</ul>`;
}

const count = (value: number | undefined): HtmlValue =>
  value === undefined ? noLimit : `At most ${value}`;
const span = (value: number | undefined): HtmlValue =>
  value === undefined ? noLimit : `At most ${formatExactSpan(value)}`;

/** How the value of each limit reads. */
const shown: {
  readonly [Name in keyof Required<GrantLimits>]: (value: GrantLimits[Name]) => HtmlValue;
} = {
  scopes: list,
  maxClients: count,
  maxApiKeys: (value) => (value === 0 ? 'Not allowed' : count(value)),
  requireSubnet: (value) =>
    value === true ? `Every key needs one or more, ${requiredSubnetText}` : noLimit,
  maxTokenLifetime: span,
  maxSecretLifetime: span,
  providers: list,
  // Unlike the others, it allows something.
  ownProviders: (value) => ((value ?? 0) === 0 ? 'None' : `At most ${value}`),
};

const isShown = (limit: string): limit is keyof GrantLimits => Object.hasOwn(shown, limit);

/** @param limit by its name. A function of a later release may know others. */
export function limitLabel(limit: string): string {
  return isShown(limit) ? fieldLabel(limit) : limit;
}

export function limitValue(limits: GrantLimits, limit: string): HtmlValue {
  if (!isShown(limit)) return '';
  const show = shown[limit] as (value: unknown) => HtmlValue;
  return show(limits[limit]);
}

/** The limits that exist; one sentence if there is none. */
export function limitSummary(limits: GrantLimits): Html {
  const names = (Object.keys(shown) as (keyof GrantLimits)[]).filter(
    (name) => limits[name] !== undefined,
  );
  if (names.length === 0) return html`${noLimit}`;
  return html`${names.map(limitLabel).join(', ')}`;
}

/** Every limit with its value, also those that do not exist. */
export function limitFacts(limits: GrantLimits): readonly Fact[] {
  return (Object.keys(shown) as (keyof GrantLimits)[]).map((name) => [
    limitLabel(name),
    limitValue(limits, name),
  ]);
}
