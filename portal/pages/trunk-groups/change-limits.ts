import type {
  GrantLimits,
  TrunkGroupLimits,
} from '../../../core/trunk-group/trunk-group-limits.ts';
import {
  type LimitsValues,
  limitsChecks,
  readLimitsValues,
  toLimits,
  valuesOfLimits,
} from '../../forms/limits-form.ts';
import { FormError, noProblems, type Problems } from '../../forms/problems.ts';
import { requireFields } from '../../forms/required.ts';
import { submit } from '../../forms/submit.ts';
import { readVersion } from '../../forms/version.ts';
import { badge } from '../../html/badge.ts';
import { hiddenField } from '../../html/field.ts';
import { postForm } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { limitFacts } from '../../html/limit-facts.ts';
import { facts, pageHeader, panel } from '../../html/parts.ts';
import type { Handler, Page, RequestContext } from '../../request-context.ts';
import { excessTable } from './excess-table.ts';
import { limitsFields, limitsLabels } from './limits-fields.ts';

interface Editing {
  readonly group: string;
  readonly values: LimitsValues;
  readonly version: number;
  readonly problems: Problems;
  /** What is stored now, after a conflict. */
  readonly stored?: TrunkGroupLimits | undefined;
  /** What the group would have above the limits of the form. */
  readonly preview?: Html | undefined;
}

const previewButton = html`<button class="button button-plain" type="submit" name="preview" value="1">Show what would be above them</button>`;

async function findIssuers({ management }: RequestContext): Promise<readonly string[]> {
  return (await management.listProviders()).map(({ issuer }) => issuer);
}

async function showForm(context: RequestContext, editing: Editing): Promise<Page> {
  const { href } = context;
  const { group, values, version, problems, stored, preview } = editing;
  const address = href(`/trunk-groups/${group}`);
  const title = `Change the limits of ${group}`;
  const form = postForm(
    {
      action: address,
      problems,
      labels: limitsLabels,
      above:
        preview ??
        (stored && panel({ title: 'Stored now', id: 'stored' }, facts(limitFacts(stored)))),
      submit: 'Save',
      otherButtons: previewButton,
      cancel: address,
    },
    [
      hiddenField('ifVersion', stored?.version ?? version),
      limitsFields(context, { values, issuers: await findIssuers(context), problems }),
    ],
  );
  return {
    status: problems.status,
    title,
    section: 'trunk-groups',
    body: html`${pageHeader({
      title,
      crumbs: [
        { text: 'Trunk groups', href: href('/trunk-groups') },
        { text: group, href: address },
      ],
      lead: 'They bind the people of the trunk group, not the staff. A lowered limit changes nothing that exists.',
    })}${form}`,
  };
}

export const editTrunkGroup: Handler = async (context) => {
  context.require('setTrunkGroupLimits');
  const group = context.id('group');
  const limits = await context.management.findTrunkGroupLimits(group);
  const { version } = limits;
  return showForm(context, {
    group,
    version,
    values: valuesOfLimits(limits),
    problems: noProblems,
  });
};

/** The library has another error for a provider that is not registered: one that no form solves. */
async function checkProviders(
  context: RequestContext,
  providers: readonly string[] = [],
): Promise<void> {
  const issuers = providers.length === 0 ? [] : await findIssuers(context);
  const unknown = providers.find((issuer) => !issuers.includes(issuer));
  if (unknown === undefined) return;
  const message = `Received “${unknown.slice(0, 100)}”, which is not registered any more.`;
  throw new FormError([{ field: 'providers', message }]);
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
      ? html`<p class="panel-text">${badge('good', 'None')} Everything in this trunk group is within these limits.</p>`
      : excessTable(context, { group, limits, check }),
  );
}

export const updateTrunkGroup: Handler = async (context) => {
  context.require('setTrunkGroupLimits');
  const { form, management, href } = context;
  const group = context.id('group');
  const values = readLimitsValues(form);
  const version = readVersion(form);
  return submit(
    async () => {
      requireFields(form, {}, limitsChecks(values));
      const limits = toLimits(values);
      await checkProviders(context, limits.providers);
      if (form.isOn('preview')) {
        const preview = await previewOf(context, group, limits);
        return showForm(context, { group, values, version, problems: noProblems, preview });
      }
      await management.setTrunkGroupLimits(group, { ...limits, ifVersion: version });
      return { redirectTo: href(`/trunk-groups/${group}`, { done: 'limits-saved' }) };
    },
    async (problems) => {
      const isConflict = problems.status === 409;
      const stored = isConflict ? await management.findTrunkGroupLimits(group) : undefined;
      return showForm(context, { group, values, version, problems, stored });
    },
  );
};
