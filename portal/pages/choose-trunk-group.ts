import { maxListedItems } from '../../contract/bounds.ts';
import type { Limits } from '../../core/trunk-group/trunk-group-limits.ts';
import { findKnownTrunkGroups, findTrunkGroupProblems } from '../access/known-trunk-groups.ts';
import { noProblems, type Problems, typedField, unlessDenied } from '../forms/problems.ts';
import { hiddenField, type Option, selectField, textField } from '../html/field.ts';
import { type Html, html } from '../html/html.ts';
import { emptyState, linkButton, type Section } from '../html/parts.ts';
import type { HtmlPage, RequestContext } from '../request-context.ts';

const kinds = {
  clients: { title: 'New client', what: 'clients', limit: 'maxClients' },
  'api-keys': { title: 'New API key', what: 'API keys', limit: 'maxApiKeys' },
} as const;

/** How much of a limit is used when the page is made, as a bar; the text next to it says the same. */
function usageBar(count: number, most: number): Html {
  const share = most === 0 ? 100 : Math.min(100, Math.round((count / most) * 100));
  return html`
    <svg class="usage${share >= 90 && ' usage-high'}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="usage-most" width="100" height="8"></rect>
      <rect class="usage-used" width="${share}" height="8"></rect>
    </svg>
  `;
}

type Kind = keyof typeof kinds;

/** How many clients or API keys a trunk group may have. */
export function quotaLimit(kind: Kind, limits: Limits): number | undefined {
  return limits[kinds[kind].limit];
}

/** How much of each limit of numbers a trunk group uses. */
export async function readUsage(
  context: RequestContext,
  group: string,
  limits: Limits,
): Promise<Readonly<Partial<Record<(typeof kinds)[Kind]['limit'], Html>>>> {
  const used = (Object.keys(kinds) as Kind[])
    .filter((kind) => quotaLimit(kind, limits) !== 0)
    .map(async (kind) => {
      const quota = await readQuota(context, { kind, group, limits });
      return [kinds[kind].limit, quota?.usage] as const;
    });
  return Object.fromEntries(await Promise.all(used));
}

/**
 * How many clients or API keys a trunk group has, of how many it may have.
 *
 * @returns undefined without a limit, and if there are more than one read counts.
 */
export async function readQuota(
  { management, href }: RequestContext,
  { kind, group, limits }: { readonly kind: Kind; readonly group: string; readonly limits: Limits },
) {
  const most = quotaLimit(kind, limits);
  if (most === undefined || group === '') return undefined;
  const { title, what } = kinds[kind];
  const filter = { trunkGroup: group, limit: maxListedItems };
  const list =
    kind === 'clients'
      ? management.listClients(filter)
      : management.listApiKeys({ ...filter, withLastUse: false });
  const page = await unlessDenied<Awaited<typeof list>>(list);
  if (page === undefined || page.nextCursor !== undefined) return undefined;
  const count = page.items.length;
  const used = `${count} of ${most} ${what}`;
  return {
    /** For the form. */
    note: html`<p class="note"><code>${group}</code> has ${used}. ${usageBar(count, most)}</p>`,
    /** The same without the trunk group. */
    usage: html`${used} ${usageBar(count, most)}`,
    isUsedUp: count >= most,
    /** Instead of a form that would be refused. */
    page: nothingPage(
      { title, section: kind },
      {
        title: `${group} has ${used}`,
        text: 'Delete one that is not used any more, or ask the platform’s staff for a higher limit.',
        action: linkButton(href(`/${kind}`, { trunkGroup: group }), `See the ${what}`),
      },
    ),
  };
}

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
): HtmlPage {
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
): HtmlPage {
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
): Promise<string | HtmlPage> {
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
