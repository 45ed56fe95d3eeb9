import { type Option, selectField } from '../html/field.ts';
import { html } from '../html/html.ts';
import { pageHeader } from '../html/parts.ts';
import type { Page, RequestContext, Section } from '../request-context.ts';

/** What is created in the trunk group, and the page with its form. */
export interface Creation {
  readonly title: string;
  readonly section: Section;
  /** The address of the form. */
  readonly path: string;
  /** What the address keeps in addition to the trunk group. */
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/**
 * The trunk group of a new client or API key. What can be granted depends on it, so a person with
 * several groups chooses first.
 *
 * @returns the group; empty for a person with every group, who types it in the form; a page on which
 *   a person chooses.
 */
export function chooseTrunkGroup(
  { person, query, href }: RequestContext,
  creation: Creation,
): string | Page {
  const given = query.text('trunkGroup').trim();
  const { trunkGroups } = person;
  if (trunkGroups === undefined) return given;
  if (trunkGroups.includes(given)) return given;
  if (trunkGroups.length === 1) return trunkGroups[0] ?? '';
  const { title, section, path } = creation;
  const kept = Object.entries(creation.query ?? {}).map(
    ([name, value]) =>
      value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const field = selectField({
    name: 'trunkGroup',
    label: 'Service trunk group',
    hint: 'Whose service it is. It cannot be changed later.',
    value: '',
    options: trunkGroups.map((group): Option => [group, group]),
  });
  return {
    title,
    section,
    body: html`${pageHeader({ title })}<form class="sheet" method="get" action="${href(path)}">${kept}${field}<div class="form-actions"><button class="button button-primary" type="submit">Continue</button></div></form>`,
  };
}
