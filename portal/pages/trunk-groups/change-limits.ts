import { NotFoundError } from '../../../adapters/management.ts';
import {
  fieldLabels,
  type LimitName,
  limitWords,
} from '../../../contract/management/field-words.ts';
import {
  type Limits,
  limitNames,
  type TrunkGroupLimits,
} from '../../../core/trunk-group/trunk-group-limits.ts';
import { type Form, ownVersion, type Readers } from '../../forms/form.ts';
import { asSentence, FormError, type Problems, problemAt } from '../../forms/problems.ts';
import {
  type FieldValues,
  inputOf,
  onlyThese,
  readValues,
  valuesOf,
  wordedField,
} from '../../forms/worded-fields.ts';
import { checkbox, radioGroup } from '../../html/field.ts';
import type { Labels } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { factList, limitFacts, limitLabel, panel } from '../../html/parts.ts';
import { scopeTable } from '../../html/scope-matrix.ts';
import type { RequestContext } from '../../request-context.ts';
import { excessPart } from './trunk-group-details.ts';

const previewButton = html`
  <button class="button button-plain" type="submit" name="preview" value="1">
    Show what would be above them
  </button>
`;

async function findIssuers({ management }: RequestContext): Promise<readonly string[]> {
  return (await management.listProviders()).map(({ issuer }) => issuer);
}

async function previewOf(context: RequestContext, group: string, limits: Limits): Promise<Html> {
  const check = await context.management.checkTrunkGroupLimits(group, limits);
  return panel(
    { title: 'Above these limits', id: 'excess', note: 'Nothing was saved yet.' },
    excessPart(context, { group, limits, check, whose: 'these' }),
  );
}

export const limitsChange: Form<TrunkGroupLimits, FieldValues<LimitName>, Limits> = {
  operation: 'setTrunkGroupLimits',
  find: ({ management, id }) => management.findTrunkGroupLimits(id('group')),
  version: ownVersion,
  start: (_, limits) => valuesOf(limitWords, limits),
  read: (form) => readValues(limitWords, form),
  input: (values) => inputOf(limitWords, values) as Readers<Limits>,
  act: async (context, { input: limits, ifVersion, showAgain }) => {
    const group = context.id('group');
    if (context.form.isOn('preview')) return showAgain(await previewOf(context, group, limits));
    try {
      await context.management.setTrunkGroupLimits(group, { ...limits, ifVersion });
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      // A provider was deleted when the form was open.
      throw new FormError([{ field: 'providers', message: asSentence(error.message) }]);
    }
    return { redirectTo: context.href(`/trunk-groups/${group}`, { done: 'limits-saved' }) };
  },
  look: async (context, { subject, values, problems, isConflict, above }) => {
    const group = subject.serviceTrunkGroup;
    const stored =
      isConflict && panel({ title: 'Stored now', id: 'stored' }, factList(limitFacts(subject)));
    return {
      title: `Change the limits of ${group}`,
      section: 'trunk-groups',
      crumbs: [{ text: group, href: context.href(`/trunk-groups/${group}`) }],
      lead: 'They bind the people of the trunk group, not the staff. A lowered limit changes nothing that exists.',
      labels: limitsLabels,
      above: above ?? (stored || undefined),
      submit: 'Save',
      otherButtons: previewButton,
      fields: limitsFields(context, { values, issuers: await findIssuers(context), problems }),
    };
  },
};

/** The labels of the form. The pages and the form call a limit the same. */
const limitsLabels: Labels = fieldLabels(...limitNames);

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

function limitsFields(context: RequestContext, form: LimitsForm): Html {
  return html`${limitNames.map((name) => limitField(context, name, form))}`;
}
