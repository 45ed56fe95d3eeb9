import { NotFoundError } from '../../adapters/management.ts';
import { type Fields, type Problems, problemAt } from '../forms/problems.ts';
import type { RequestContext } from '../request-context.ts';
import { type Option, selectField, textField } from './field.ts';
import { type Html, type HtmlValue, html } from './html.ts';

/** The trunk group of a filter: one of the user's own, or any. A user of one group has no choice. */
export function trunkGroupFilter({ person, query }: RequestContext, problems: Problems): Html {
  const { trunkGroups } = person;
  const value = query.text('trunkGroup');
  const error = problemAt(problems, 'trunkGroup');
  if (trunkGroups?.length === 1 && ['', trunkGroups[0]].includes(value)) return html``;
  if (trunkGroups === undefined) {
    return textField({ name: 'trunkGroup', label: 'Trunk group', value, error, width: 'short' });
  }
  const options: readonly Option[] = [
    ['', 'All of mine'],
    ...trunkGroups.map((group): Option => [group, group]),
  ];
  return selectField({ name: 'trunkGroup', label: 'Trunk group', value, error, options });
}

const enabledOptions: readonly Option[] = [
  ['', 'Any'],
  ['yes', 'Enabled'],
  ['no', 'Disabled'],
];

/** A select of a filter, with what the address says. */
export function filterSelect(
  query: Fields,
  name: string,
  label: string,
  options: readonly Option[],
): Html {
  return selectField({ name, label, value: query.text(name), options });
}

/** The filters that clients and API keys share, around those of their own. */
export function ownedItemFilters(
  context: RequestContext,
  problems: Problems,
  ...own: readonly Html[]
): readonly Html[] {
  const { query } = context;
  return [
    textField({ name: 'text', label: 'Name or id', value: query.text('text'), type: 'search' }),
    trunkGroupFilter(context, problems),
    ...own,
    filterSelect(query, 'enabled', 'Status', enabledOptions),
  ];
}

/**
 * A filter of a list. It is part of the address, so it can be bookmarked and shared. Without fields
 * there is none. It is folded only in a narrow window.
 */
export function filterForm(action: string, isActive: boolean, fields: HtmlValue): Html | '' {
  if (!isActive && String(html`${fields}`).trim() === '') return '';
  return html`
    <details class="filters-fold"${isActive && html` open`}>
      <summary>Filter</summary>
      <form class="filters" method="get" action="${action}" role="search">
        ${fields}
        <div class="filter-actions">
          <button class="button button-plain" type="submit">Filter</button>
          ${isActive ? html`<a class="link" href="${action}">Clear</a>` : ''}
        </div>
      </form>
    </details>
  `;
}

/** The part of a filter that clients and API keys share. */
export function readListFilter(query: Fields) {
  const enabled = query.optional('enabled');
  return {
    text: query.text('text').trim() || undefined,
    trunkGroup: query.text('trunkGroup').trim() || undefined,
    enabled: enabled === undefined ? undefined : enabled === 'yes',
  };
}

/**
 * A list that is filtered by a whole id is one read of that item, regardless of the length of the
 * list.
 *
 * @param find reads the item. It throws a NotFoundError if there is none.
 */
export async function findListed<T>(
  find: () => Promise<T>,
): Promise<{ readonly items: readonly T[]; readonly examined: number }> {
  try {
    return { items: [await find()], examined: 1 };
  } catch (error) {
    if (error instanceof NotFoundError) return { items: [], examined: 1 };
    throw error;
  }
}
