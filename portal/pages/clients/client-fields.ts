import type { Client } from '../../../adapters/management.ts';
import { maxServiceTrunkGroupLength } from '../../../contract/limits.ts';
import {
  clientFields,
  clientWords,
  fieldLabel,
  fieldLabels,
} from '../../../contract/management/field-words.ts';
import { type ClientField, plainClientFields } from '../../../contract/management/inputs.ts';
import { formatDuration } from '../../../core/duration.ts';
import { type Granted, offeredScopes } from '../../access/granted.ts';
import type { ChangedField, ClientValues } from '../../forms/client-form.ts';
import { type Problems, problemAt } from '../../forms/problems.ts';
import { wordedField } from '../../forms/worded-fields.ts';
import { fixedField, hiddenField, type Option, selectField, textField } from '../../html/field.ts';
import type { Labels } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { scopeMatrix } from '../../html/scope-matrix.ts';
import type { RequestContext } from '../../request-context.ts';

export const clientLabels: Labels = fieldLabels(...clientFields);

export function nameField(value: string, problems: Problems, stored?: string): Html {
  return wordedField(
    clientWords,
    'name',
    { text: value, items: [], isOn: true },
    { problems, stored },
  );
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
    hint: clientWords.serviceTrunkGroup.hint,
    value,
    error: problemAt(problems, 'serviceTrunkGroup'),
  };
  const isTyped =
    person.trunkGroups === undefined &&
    (value === '' || form.isOn(typesTrunkGroup) || field.error !== undefined);
  if (!isTyped) {
    return fixedField(field, html` <a href="${href(`/trunk-groups/${value}`)}">Its limits</a>`);
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
  /** Whether its provider sets the lifetime of its tokens, other than those for an assertion. */
  readonly isUnderProvider: boolean;
}

/** How long a token of it may be valid, as this service issues it. */
function lifetimeHint(
  { deployment }: RequestContext,
  { granted: { maxTokenLifetime = Infinity }, isUnderProvider }: ChangeableFields,
) {
  const { minimum, maximum } = deployment.tokenLifetime;
  const most = Math.min(maximum, maxTokenLifetime);
  const which = isUnderProvider
    ? 'Of a token that the client gets here. Its provider sets that of its own tokens. '
    : '';
  return `${which}${formatDuration(minimum)} to ${formatDuration(most)}, e.g. 15m or 1h. ${clientWords.tokenLifetime.hint}`;
}

/** The fields of a client that can change later. */
export function changeableFields(context: RequestContext, fields: ChangeableFields): Html {
  const { deployment } = context;
  const { values, problems, granted, present = [], stored, isUnderProvider } = fields;
  const scopes = offeredScopes(deployment.scopes, granted, present);
  const chosen = values.scopes.items;
  const scopesNow =
    stored !== undefined && stored.scopes.join(' ') !== chosen.join(' ')
      ? html`<p class="note">Scopes stored now: ${stored.scopes.join(', ')}.</p>`
      : '';
  const show = (name: ChangedField, more: { hint?: string; required?: boolean } = {}) =>
    wordedField(clientWords, name, values[name], { problems, stored: stored?.[name], ...more });
  const lifetime = { hint: lifetimeHint(context, fields), required: true };
  const isOurs = !isUnderProvider || deployment.acceptsAssertions === true;
  const plain = plainClientFields.filter((name) => name !== 'tokenLifetime' || isOurs);
  return html`${show('name')}${plain.map((name) => show(name, name === 'tokenLifetime' ? lifetime : {}))}${scopeMatrix(
    scopes,
    chosen,
    problemAt(problems, 'scopes'),
  )}${scopesNow}${show('audiences', {
    hint: `The APIs that a token is for, one on each line. Leave it empty for ${deployment.defaultAudience}.`,
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
    hint: clientWords.provider.hint,
    value: values.provider.text,
    error: problemAt(problems, 'provider'),
  };
  const show = (name: ClientField) => wordedField(clientWords, name, values[name], { problems });
  const options = issuers?.map((issuer): Option => [issuer, issuer]);
  return html`${
    options === undefined
      ? textField({ ...field, type: 'url', placeholder: 'This service' })
      : selectField({ ...field, options: [['', 'This service'], ...options] })
  }<div class="field"><button class="button button-plain" type="submit" name="choose" value="1" formnovalidate>
      Show its fields
    </button></div>${
      values.provider.text !== '' && [
        show('externalClientId'),
        show('requiredClaims'),
        show('allowUserTokens'),
        // Only the staff may create a client inside the grant of another trunk group.
        person.trunkGroups === undefined && show('allowOtherGrant'),
      ]
    }`;
}
