import type { Client } from '../../../adapters/management.ts';
import { maxNameLength, maxServiceTrunkGroupLength } from '../../../contract/limits.ts';
import { fieldLabel, fieldLabels } from '../../../contract/management/field-words.ts';
import { formatDuration } from '../../../core/duration.ts';
import { type Granted, offeredScopes } from '../../access/granted.ts';
import type { ClientValues } from '../../forms/client-form.ts';
import { type Problems, problemAt } from '../../forms/problems.ts';
import {
  checkbox,
  hiddenField,
  type Option,
  selectField,
  textArea,
  textField,
} from '../../html/field.ts';
import type { Labels } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { scopeMatrix } from '../../html/scope-matrix.ts';
import type { RequestContext } from '../../request-context.ts';

export const clientLabels: Labels = fieldLabels(
  'name',
  'serviceTrunkGroup',
  'tokenLifetime',
  'scopes',
  'audiences',
  'provider',
  'externalClientId',
  'requiredClaims',
);

/** The stored value, if another user has changed it since the form was opened. */
function storedHint(stored: string | undefined, typed: string): string {
  return stored === undefined || stored === typed ? '' : ` Stored now: ${stored}.`;
}

export function nameField(value: string, problems: Problems, stored?: string): Html {
  return textField({
    name: 'name',
    label: fieldLabel('name'),
    hint: `For people, up to ${maxNameLength} characters.${storedHint(stored, value)}`,
    value,
    required: true,
    maxLength: maxNameLength,
    error: problemAt(problems, 'name'),
  });
}

/** Whether the form has a text field for the trunk group. */
const typesTrunkGroup = 'typesTrunkGroup';

/**
 * The trunk group cannot be changed later. It is typed only by a person who could not choose it
 * before: see `chooseTrunkGroup`.
 */
export function trunkGroupField(
  { person, form, href }: RequestContext,
  value: string,
  problems: Problems,
): Html {
  const field = {
    name: 'serviceTrunkGroup',
    label: fieldLabel('serviceTrunkGroup'),
    hint: 'Whose service it is, e.g. tg-1001. It cannot be changed later.',
    value,
    error: problemAt(problems, 'serviceTrunkGroup'),
  };
  const isTyped =
    person.trunkGroups === undefined &&
    (value === '' || form.isOn(typesTrunkGroup) || field.error !== undefined);
  if (!isTyped) {
    return html`
      <div class="field" id="f-serviceTrunkGroup">
        <p class="field-name">${field.label}</p>
        <p><code>${value}</code> <a href="${href(`/trunk-groups/${value}`)}">Its limits</a></p>
        ${hiddenField(field.name, value)}${
          field.error !== undefined && html`<p class="field-error">${field.error}</p>`
        }
      </div>
    `;
  }
  return html`${hiddenField(typesTrunkGroup, 1)}${textField({
    ...field,
    required: true,
    maxLength: maxServiceTrunkGroupLength,
    width: 'short',
  })}`;
}

interface ChangeableFields {
  readonly values: ClientValues;
  readonly problems: Problems;
  readonly granted: Granted;
  /** The scopes that the client has. */
  readonly present?: readonly string[] | undefined;
  /** The stored values, after a conflict. */
  readonly stored?: Client | undefined;
  /** Whether its provider sets the lifetime of its tokens. */
  readonly isUnderProvider: boolean;
}

function lifetimeField(
  { deployment }: RequestContext,
  { values, problems, granted, stored }: ChangeableFields,
): Html {
  const { minimum } = deployment.tokenLifetime;
  const maximum = Math.min(deployment.tokenLifetime.maximum, granted.maxTokenLifetime ?? Infinity);
  const { tokenLifetime: value = '' } = values;
  const now = storedHint(stored && formatDuration(stored.tokenLifetime), value);
  return textField({
    name: 'tokenLifetime',
    label: fieldLabel('tokenLifetime'),
    hint: `${formatDuration(minimum)} to ${formatDuration(maximum)}, e.g. 15m or 1h. A leaked token can be used for this time, at most. Platform APIs that look up clients refuse it as soon as the client’s tokens are revoked.${now}`,
    value,
    required: true,
    width: 'short',
    error: problemAt(problems, 'tokenLifetime'),
  });
}

/** The fields of a client that can change later. */
export function changeableFields(context: RequestContext, fields: ChangeableFields): Html {
  const { deployment } = context;
  const { values, problems, granted, present = [], stored, isUnderProvider } = fields;
  const scopes = offeredScopes(deployment.scopes, granted, present);
  const scopesNow =
    stored !== undefined && stored.scopes.join(' ') !== values.scopes.join(' ')
      ? html`<p class="note">Scopes stored now: ${stored.scopes.join(', ')}.</p>`
      : '';
  return html`${nameField(values.name, problems, stored?.name)}${
    !isUnderProvider && lifetimeField(context, fields)
  }${scopeMatrix(scopes, values.scopes, problemAt(problems, 'scopes'))}${scopesNow}${textArea({
    name: 'audiences',
    label: `${fieldLabel('audiences')} (optional)`,
    hint: `The APIs that a token is for, one on each line. Leave it empty for ${deployment.defaultAudience}.${storedHint(stored?.audiences.join(' '), values.audiences)}`,
    value: values.audiences,
    rows: 2,
    error: problemAt(problems, 'audiences'),
  })}`;
}

/** Who authenticates the client: this service, or a registered provider. */
export function providerFields(
  { person }: Pick<RequestContext, 'person'>,
  issuers: readonly string[] | undefined,
  values: ClientValues,
  problems: Problems,
): Html {
  if (issuers?.length === 0) return html``;
  const field = {
    name: 'provider',
    label: fieldLabel('provider'),
    hint: 'Who issues tokens to the client. Under a registered identity provider it has no secrets here, and other fields.',
    value: values.provider,
    error: problemAt(problems, 'provider'),
  };
  const options = issuers?.map((issuer): Option => [issuer, issuer]);
  return html`${
    options === undefined
      ? textField({ ...field, type: 'url', placeholder: 'This service' })
      : selectField({ ...field, options: [['', 'This service'], ...options] })
  }<div class="field"><button class="button button-plain" type="submit" name="choose" value="1" formnovalidate>
      Show its fields
    </button></div>${values.provider !== '' && atProviderFields(values, problems)}${
      values.provider !== '' && person.trunkGroups === undefined && otherGrantField(values)
    }`;
}

/** Only the staff may create a client inside the grant of another trunk group. */
function otherGrantField({ allowsOtherGrant }: ClientValues): Html {
  return checkbox({
    name: 'allowOtherGrant',
    label: 'Also if the id is granted to another trunk group',
    hint: 'Without it, such an id is refused. Warning: tokens of that customer then count as this client, if its id is the more specific one.',
    isOn: allowsOtherGrant,
  });
}

/** The fields of a client that its provider authenticates. */
function atProviderFields(values: ClientValues, problems: Problems): Html {
  return html`${textField({
    name: 'externalClientId',
    label: fieldLabel('externalClientId'),
    value: values.externalClientId,
    isCode: true,
    error: problemAt(problems, 'externalClientId'),
  })}${textArea({
    name: 'requiredClaims',
    label: fieldLabel('requiredClaims'),
    hint: 'What else a token of the provider must say, NAME=VALUE on each line. Lines of one name are alternatives. For a known platform, the claim is added that only tokens of the application itself have; for Microsoft Entra ID, give sub=OBJECT_ID of its service principal, and for Google Cloud sub=UNIQUE_ID of its service account.',
    value: values.requiredClaims,
    rows: 2,
    error: problemAt(problems, 'requiredClaims'),
  })}${checkbox({
    name: 'allowUserTokens',
    label: 'Leave out the claim of the known platform',
    hint: 'Warning: a token that the provider issues for a person through this application then counts as the client, with all of its scopes.',
    isOn: values.allowsUserTokens,
  })}`;
}
