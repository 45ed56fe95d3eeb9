import { NotFoundError } from '../../../adapters/management.ts';
import { type LimitName, limitWords } from '../../../contract/management/field-words.ts';
import type {
  GrantLimits,
  TrunkGroupLimits,
} from '../../../core/trunk-group/trunk-group-limits.ts';
import { type Form, ownVersion, type Readers } from '../../forms/form.ts';
import { asSentence, FormError } from '../../forms/problems.ts';
import { type FieldValues, inputOf, readValues, valuesOf } from '../../forms/worded-fields.ts';
import { type Html, html } from '../../html/html.ts';
import { limitFacts } from '../../html/limit-facts.ts';
import { badge } from '../../html/list.ts';
import { facts, panel } from '../../html/parts.ts';
import type { RequestContext } from '../../request-context.ts';
import { excessTable } from './excess-table.ts';
import { limitsFields, limitsLabels } from './limits-fields.ts';

const previewButton = html`
  <button class="button button-plain" type="submit" name="preview" value="1">
    Show what would be above them
  </button>
`;

async function findIssuers({ management }: RequestContext): Promise<readonly string[]> {
  return (await management.listProviders()).map(({ issuer }) => issuer);
}

async function previewOf(
  context: RequestContext,
  group: string,
  limits: GrantLimits,
): Promise<Html> {
  const check = await context.management.checkTrunkGroupLimits(group, limits);
  return panel(
    { title: 'Above these limits', id: 'excess', note: 'Nothing was saved yet.' },
    check.excesses.length === 0
      ? html`
        <p class="panel-text">
          ${badge('good', 'None')} Everything in this trunk group is within these limits.
        </p>
      `
      : excessTable(context, { group, limits, check }),
  );
}

export const limitsChange: Form<TrunkGroupLimits, FieldValues<LimitName>, GrantLimits> = {
  operation: 'setTrunkGroupLimits',
  find: ({ management, id }) => management.findTrunkGroupLimits(id('group')),
  version: ownVersion,
  start: (_, limits) => valuesOf(limitWords, limits),
  read: (form) => readValues(limitWords, form),
  input: (values) => inputOf(limitWords, values) as Readers<GrantLimits>,
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
      isConflict && panel({ title: 'Stored now', id: 'stored' }, facts(limitFacts(subject)));
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
