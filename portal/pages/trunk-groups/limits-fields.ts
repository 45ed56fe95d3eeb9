import {
  fieldLabels,
  type LimitName,
  limitWords,
} from '../../../contract/management/field-words.ts';
import { limitNames } from '../../../core/trunk-group/trunk-group-limits.ts';

import { type Problems, problemAt } from '../../forms/problems.ts';
import { type FieldValues, onlyThese, wordedField } from '../../forms/worded-fields.ts';
import { checkbox, radioGroup } from '../../html/field.ts';
import type { Labels } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { limitLabel } from '../../html/limit-facts.ts';
import { scopeTable } from '../../html/scope-matrix.ts';
import type { RequestContext } from '../../request-context.ts';

/** The labels of the form. The pages and the form call a limit the same. */
export const limitsLabels: Labels = fieldLabels(...limitNames);

/** Stored values that can no longer be chosen. Saving the form leaves them out. */
function goneNote(what: string, gone: readonly string[]): Html | '' {
  if (gone.length === 0) return '';
  return html`
    <p class="note">
      ${what}, so saving removes it from the list: ${gone.map((one) => html`<code>${one}</code> `)}
    </p>
  `;
}

type ListName = 'scopes' | 'providers';

/** What can be ticked, and what was and is gone. */
function choicesOf(
  { deployment }: RequestContext,
  name: ListName,
  items: readonly string[],
  issuers: readonly string[],
): Html {
  if (name === 'scopes') {
    const known = new Set(deployment.scopes.map(({ scope }) => scope));
    const gone = items.filter((scope) => !known.has(scope));
    return html`${scopeTable(deployment.scopes, items)}${goneNote('No longer in the catalogue', gone)}`;
  }
  const boxes = issuers.map((issuer) =>
    checkbox({ name, label: issuer, value: issuer, isOn: items.includes(issuer) }),
  );
  const gone = items.filter((issuer) => !issuers.includes(issuer));
  return html`${
    boxes.length === 0 ? html`<p class="hint">No provider is registered.</p>` : boxes
  }${goneNote('No longer registered', gone)}`;
}

interface LimitsForm {
  readonly values: FieldValues<LimitName>;
  /** Of the registered providers. */
  readonly issuers: readonly string[];
  readonly problems: Problems;
}

/** The field of one limit, by its kind. */
function limitField(
  context: RequestContext,
  name: LimitName,
  { values, issuers, problems }: LimitsForm,
): Html {
  const { kind, hint, choice = '' } = limitWords[name];
  if (kind !== 'list') return wordedField(limitWords, name, values[name], { problems });
  const { items, isOn } = values[name];
  const error = problemAt(problems, name);
  const list = choicesOf(context, name as ListName, items, issuers);
  return radioGroup({
    name,
    label: limitLabel(name),
    hint,
    error,
    group: `${name}Choice`,
    // What was ticked is meant, if it was refused without its choice.
    value: isOn || error !== undefined ? 'some' : 'all',
    options: [
      { value: 'all', text: choice },
      { value: 'some', text: onlyThese, more: html`<div class="choice-list">${list}</div>` },
    ],
  });
}

export function limitsFields(context: RequestContext, form: LimitsForm): Html {
  return html`${limitNames.map((name) => limitField(context, name, form))}`;
}
