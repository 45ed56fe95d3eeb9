import type { Deployment } from '../access/guarded-management.ts';
import { fieldGroup } from './field.ts';
import { type Html, html } from './html.ts';

type Scope = Deployment['scopes'][number];

function cell(scope: Scope | undefined, isOn: boolean): Html {
  if (scope === undefined) return html`<td></td>`;
  const id = `scope-${scope.scope.replace(/[^a-z0-9-]/g, '-')}`;
  return html`
    <td>
      <div class="check">
        <input type="checkbox" id="${id}" name="scopes" value="${scope.scope}"${
          isOn && html` checked`
        } aria-describedby="${id}-hint">
        <label for="${id}">
          <span class="visually-hidden">${scope.service} </span>${scope.permission}
        </label>
        <p class="hint" id="${id}-hint">${scope.description}</p>
      </div>
    </td>
  `;
}

/** Checkboxes of scopes: a row for each service, a column for each permission. */
export function scopeTable(scopes: readonly Scope[], chosen: readonly string[]): Html {
  const services = [...new Set(scopes.map(({ service }) => service))];
  const permissions = [...new Set(scopes.map(({ permission }) => permission))];
  const find = (service: string, permission: string) =>
    scopes.find((one) => one.service === service && one.permission === permission);
  return html`<table class="matrix"><tbody>${services.map(
    (service) =>
      html`<tr><th scope="row">${service}</th>${permissions.map((permission) => {
        const scope = find(service, permission);
        return cell(scope, scope !== undefined && chosen.includes(scope.scope));
      })}</tr>`,
  )}</tbody></table>`;
}

/** The field for a client's scopes. */
export function scopeMatrix(
  scopes: readonly Scope[],
  chosen: readonly string[],
  error: string | undefined,
): Html {
  return fieldGroup(
    {
      name: 'scopes',
      label: 'Scopes',
      hint: 'What the client may do. An access token names those that the client asks for.',
      error,
    },
    scopes.length === 0
      ? html`<p>No scope can be given in this trunk group.</p>`
      : scopeTable(scopes, chosen),
  );
}
