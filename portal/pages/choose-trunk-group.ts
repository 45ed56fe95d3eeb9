import { findKnownTrunkGroups, findTrunkGroupProblems } from '../access/known-trunk-groups.ts';
import { noProblems, type Problems, typedField } from '../forms/problems.ts';
import { hiddenField, type Option, selectField, textField } from '../html/field.ts';
import { type Html, html } from '../html/html.ts';
import { emptyState, type Section } from '../html/parts.ts';
import type { Page, RequestContext } from '../request-context.ts';

/** What is created in the trunk group, and the page with its form. */
interface Creation {
  readonly title: string;
  readonly section: Section;
  /** The address of the form. */
  readonly path: string;
  /** What the address keeps in addition to the trunk group. */
  readonly query?: Readonly<Record<string, string | undefined>>;
}

const labels = { trunkGroup: 'Service trunk group' };

function choicePage(
  { href, person, query }: RequestContext,
  { title, section, path, query: kept = {} }: Creation,
  groups: readonly string[],
  problems: Problems,
): Page {
  const fields = Object.entries(kept).map(
    ([name, value]) => value !== undefined && hiddenField(name, value),
  );
  const common = {
    label: labels.trunkGroup,
    hint: 'Whose service it is. It cannot be changed later.',
  };
  const field =
    person.trunkGroups === undefined
      ? textField({
          ...typedField(query, 'trunkGroup', problems),
          ...common,
          width: 'short',
          suggestions: groups,
        })
      : selectField({
          ...common,
          name: 'trunkGroup',
          value: query.text('trunkGroup'),
          options: groups.map((group): Option => [group, group]),
        });
  return {
    title,
    section,
    problems,
    labels,
    body: html`
      <form class="sheet" method="get" action="${href(path)}">
        ${fields}${field}
        <div class="form-actions">
          <button class="button button-primary" type="submit">Continue</button>
          <a class="button button-plain" href="${href(`/${section}`)}">Cancel</a>
        </div>
      </form>
    `,
  };
}

/** Instead of a form that would be refused in any case. */
export function nothingPage(
  { title, section }: Pick<Creation, 'title' | 'section'>,
  reason: { readonly title: string; readonly text: string; readonly action?: Html | undefined },
): Page {
  return { title, section, body: emptyState(reason.title, reason.text, reason.action) };
}

/** The config allows the portal none of the person's groups. */
const noGroup = {
  title: 'You have no trunk group here',
  text: 'The portal is limited to other trunk groups than yours. Ask the person who manages it.',
};

/**
 * The trunk group of a new client or API key. The limits depend on it, so a person who can
 * choose between several chooses first.
 *
 * @returns the group; empty if it is typed in the form, because there are none or too many to choose
 *   from; a page on which a person chooses.
 */
export async function chooseTrunkGroup(
  context: RequestContext,
  creation: Creation,
): Promise<string | Page> {
  const { person, query } = context;
  const { trunkGroups: own } = person;
  const chosen = query.text('trunkGroup').trim();
  if (own !== undefined) {
    if (own.includes(chosen)) return chosen;
    if (own.length === 0) return nothingPage(creation, noGroup);
    if (own.length === 1) return own[0] ?? '';
    return choicePage(context, creation, own, noProblems);
  }
  if (chosen !== '') {
    const problems = findTrunkGroupProblems(chosen, 'trunkGroup');
    if (problems === undefined) return chosen;
    return choicePage(context, creation, (await findKnownTrunkGroups(context)) ?? [], problems);
  }
  const groups = await findKnownTrunkGroups(context);
  return groups === undefined ? '' : choicePage(context, creation, groups, noProblems);
}
