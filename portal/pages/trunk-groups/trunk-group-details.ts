import type { TrunkGroupLimits } from '../../../core/trunk-group/trunk-group-limits.ts';
import { type Html, html } from '../../html/html.ts';
import { limitFacts } from '../../html/limit-facts.ts';
import { badge } from '../../html/list.ts';
import { facts, linkButton, panel } from '../../html/parts.ts';
import { timeWithDistance } from '../../html/time.ts';
import type { Handler, RequestContext } from '../../request-context.ts';
import { readUsage } from '../quota.ts';
import { excessTable } from './excess-table.ts';

/** The limits of the deployment config, which hold for everyone who comes through the portal. */
function configPanel({ deployment }: RequestContext): Html | '' {
  const { limits = {} } = deployment.reach ?? {};
  if (Object.values(limits).every((limit) => limit === undefined)) return '';
  return panel(
    {
      title: 'Limits of the deployment config',
      id: 'config-limits',
      note: 'They hold in every trunk group in addition, also for the staff.',
    },
    facts(limitFacts(limits)),
  );
}

/** It reads everything that the group has. */
async function excessPanel(context: RequestContext, limits: TrunkGroupLimits): Promise<Html> {
  const group = limits.serviceTrunkGroup;
  const check = await context.management.checkTrunkGroupLimits(group);
  return panel(
    { title: 'Above the limits', id: 'excess' },
    check.excesses.length === 0
      ? html`
        <p class="panel-text">
          ${badge('good', 'None')} Everything in this trunk group is within its limits.
        </p>
      `
      : excessTable(context, { group, limits, check }),
  );
}

export const showTrunkGroup: Handler = async (context) => {
  const { management, href, may, now, person } = context;
  const group = context.id('group');
  const limits = await management.findTrunkGroupLimits(group);
  const usage = await readUsage(context, group, limits);
  const isStaff = may('setTrunkGroupLimits') && person.trunkGroups === undefined;
  const has = html`
    <a href="${href('/clients', { trunkGroup: group })}">
    Clients</a>, <a href="${href('/api-keys', { trunkGroup: group })}">API keys</a>
  `;
  return {
    title: `Trunk group ${group}`,
    section: 'trunk-groups',
    heading: group,
    crumbs: [],
    lead: 'What may be granted in this trunk group.',
    actions: isStaff && linkButton(href(`/trunk-groups/${group}/edit`), 'Change limits', 'primary'),
    body: html`${panel(
      { title: 'Limits', id: 'limits' },
      facts([
        ...limitFacts(limits, usage),
        ['What it has', has],
        limits.updatedAt !== undefined && ['Changed', timeWithDistance(limits.updatedAt, now)],
      ]),
    )}${isStaff && (await excessPanel(context, limits))}${isStaff && configPanel(context)}`,
  };
};
