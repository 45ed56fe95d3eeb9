import { checkbox, hiddenField } from './field.ts';
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
    return html`
      <div class="field">
        <p class="field-name">Trunk group</p>
        <p><code>${only}</code></p>
        ${hiddenField(name, only)}
      </div>
    `;
  }
  const invalid =
    error !== undefined && html` aria-invalid="true" aria-describedby="f-trunkGroups-error"`;
  return html`
    <fieldset class="field${error === undefined ? '' : ' has-error'}" id="f-trunkGroups"${invalid}>
      <legend>Trunk groups</legend>
      <p class="hint">Only clients of these can be under the provider.</p>
      ${
        error !== undefined && html`<p class="field-error" id="f-trunkGroups-error">${error}</p>`
      }${groups.map((group) =>
        checkbox({
          name,
          value: group,
          label: html`<code>${group}</code>`,
          isOn: chosen.includes(group),
        }),
      )}
    </fieldset>
  `;
}
