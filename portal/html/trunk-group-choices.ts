import { checkbox, fieldGroup, fixedField } from './field.ts';
import { type Html, html } from './html.ts';

/** The trunk groups that a provider is for: checkboxes, or the only one there is. */
export function trunkGroupChoices(
  groups: readonly string[],
  chosen: readonly string[],
  error: string | undefined,
): Html {
  const name = 'trunkGroups';
  const [only = ''] = groups;
  if (groups.length === 1 && error === undefined) {
    return fixedField({ name, label: 'Trunk group', value: only });
  }
  return fieldGroup(
    {
      name,
      label: 'Trunk groups',
      hint: 'Only clients of these can be under the provider.',
      error,
    },
    groups.map((group) =>
      checkbox({
        name,
        value: group,
        label: html`<code>${group}</code>`,
        isOn: chosen.includes(group),
      }),
    ),
  );
}
