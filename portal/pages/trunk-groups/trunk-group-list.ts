import type { TrunkGroupLimits } from '../../../core/trunk-group/trunk-group-limits.ts';
import { findKnownTrunkGroups, findTrunkGroupProblems } from '../../access/known-trunk-groups.ts';
import { noProblems, type Problems, typedField } from '../../forms/problems.ts';
import { textField } from '../../html/field.ts';
import { type Html, html } from '../../html/html.ts';
import { dataTable, rowLink } from '../../html/list.ts';
import { pager, readPosition } from '../../html/pager.ts';
import { emptyState, limitSummary } from '../../html/parts.ts';
import { distance } from '../../html/time.ts';
import type { Handler, RequestContext, RouteResult } from '../../request-context.ts';

const path = '/trunk-groups';
const labels = { trunkGroup: 'Trunk group', cursor: 'Page' };

/** Opens the page of a trunk group, also of one without limits. */
function openForm({ href, query }: RequestContext, problems: Problems): Html {
  return html`
    <form class="filters" method="get" action="${href(path)}">
      ${textField({ ...typedField(query, 'trunkGroup', problems), label: labels.trunkGroup })}
      <div class="filter-actions">
        <button class="button button-plain" type="submit">Open</button>
      </div>
    </form>
  `;
}

function groupTable({ href, now }: RequestContext, groups: readonly TrunkGroupLimits[]): Html {
  return dataTable(
    'Trunk groups',
    [
      ['Trunk group', ({ serviceTrunkGroup: group }) => rowLink(href(`${path}/${group}`), group)],
      ['Limited', limitSummary],
      ['Changed', ({ updatedAt }) => updatedAt !== undefined && distance(updatedAt, now), 'minor'],
    ],
    groups,
  );
}

/** A person with trunk groups sees all of them; everyone else those that have limits or anything. */
async function readGroups(context: RequestContext) {
  const { management, person, query } = context;
  const position = readPosition(query);
  const page = await management.listTrunkGroupLimits({ cursor: position.cursor });
  const isWhole = position.cursor === undefined && page.nextCursor === undefined;
  const found = isWhole ? findKnownTrunkGroups(context, Promise.resolve(page)) : undefined;
  const known = person.trunkGroups ?? (await found);
  if (known === undefined) return { ...page, position };
  const limits = new Map(page.items.map((one) => [one.serviceTrunkGroup, one]));
  const items = known
    .toSorted()
    .map((group) => limits.get(group) ?? { serviceTrunkGroup: group, version: 0 });
  return { ...page, items, position };
}

async function showList(context: RequestContext, problems: Problems): Promise<RouteResult> {
  const { href, person } = context;
  const { items, nextCursor, examined, position } = await readGroups(context);
  const isStaff = person.trunkGroups === undefined;
  const none = emptyState(
    'There is no trunk group yet',
    'Without limits, its people give every scope and create as much as they want. Open a trunk group to set some.',
  );
  return {
    title: 'Trunk groups',
    section: 'trunk-groups',
    lead: isStaff
      ? 'What the people of a trunk group may give to clients and API keys. The platform’s staff is not bound by it. In a large deployment, only those with limits are listed: open another one by its name.'
      : 'What you may give in each of your trunk groups.',
    problems,
    labels,
    body: html`${isStaff && openForm(context, problems)}${
      items.length === 0
        ? none
        : html`${groupTable(context, items)}<div class="list-foot">${pager({
            href,
            path,
            query: {},
            position,
            nextCursor,
            isFiltered: false,
            isRestricted: !isStaff,
            shown: items.length,
            examined,
            what: 'trunk groups',
          })}</div>`
    }`,
  };
}

export const showTrunkGroups: Handler = async (context) => {
  const { query, href } = context;
  const group = query.text('trunkGroup').trim();
  if (group === '') return showList(context, noProblems);
  const problems = findTrunkGroupProblems(group, 'trunkGroup');
  return problems === undefined
    ? { redirectTo: href(`${path}/${group}`) }
    : showList(context, problems);
};
