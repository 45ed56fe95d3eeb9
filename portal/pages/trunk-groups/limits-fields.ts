import { minTokenLifetime } from '../../../contract/limits.ts';
import { fieldLabels } from '../../../contract/management/field-words.ts';
import { requiredSubnetText } from '../../../contract/required-subnet.ts';
import { formatDuration } from '../../../core/duration.ts';
import { type LimitsValues, onlyThese } from '../../forms/limits-form.ts';
import { type Problems, problemAt } from '../../forms/problems.ts';
import { checkbox, radioGroup, textField } from '../../html/field.ts';
import type { Labels } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { limitLabel } from '../../html/limit-facts.ts';
import { scopeTable } from '../../html/scope-matrix.ts';
import type { RequestContext } from '../../request-context.ts';

/** The labels of the form. The pages and the form call a limit the same. */
export const limitsLabels: Labels = fieldLabels(
  'scopes',
  'maxClients',
  'maxApiKeys',
  'requireSubnet',
  'maxTokenLifetime',
  'maxSecretLifetime',
  'providers',
  'ownProviders',
);

/** Stored values that can no longer be chosen. Saving the form leaves them out. */
function goneNote(what: string, gone: readonly string[]): Html | '' {
  if (gone.length === 0) return '';
  return html`
    <p class="note">
      ${what}, so saving removes it from the list: ${gone.map((one) => html`<code>${one}</code> `)}
    </p>
  `;
}

interface ChoiceOfList {
  readonly field: 'scopes' | 'providers';
  readonly hint: string;
  readonly all: string;
  readonly choice: 'all' | 'some';
  readonly problems: Problems;
  readonly list: Html;
}

/** No limit, or a list of which every part may be granted. */
function choiceOfList({ field, hint, all, choice, problems, list }: ChoiceOfList): Html {
  const error = problemAt(problems, field);
  return radioGroup({
    name: field,
    group: `${field}Choice`,
    label: limitLabel(field),
    hint,
    // What was ticked is meant, if it was refused without its choice.
    value: error === undefined ? choice : 'some',
    error,
    options: [
      { value: 'all', text: all },
      { value: 'some', text: onlyThese, more: html`<div class="choice-list">${list}</div>` },
    ],
  });
}

function scopesField(
  { deployment }: RequestContext,
  { scopes, scopesChoice }: LimitsValues,
  problems: Problems,
): Html {
  const known = new Set(deployment.scopes.map(({ scope }) => scope));
  return choiceOfList({
    field: 'scopes',
    hint: 'What its clients may be given. With none ticked, no scope can be granted.',
    all: 'Every scope, also those that are added later',
    choice: scopesChoice,
    problems,
    list: html`${scopeTable(deployment.scopes, scopes)}${goneNote(
      'No longer in the catalogue',
      scopes.filter((scope) => !known.has(scope)),
    )}`,
  });
}

function providersField(
  issuers: readonly string[],
  { providers, providersChoice }: LimitsValues,
  problems: Problems,
): Html {
  return choiceOfList({
    field: 'providers',
    hint: 'Under which registered providers clients may be created. With none ticked, under none.',
    all: 'Every registered provider, also those that are registered later',
    choice: providersChoice,
    problems,
    list: html`${
      issuers.length === 0
        ? html`<p class="hint">No provider is registered.</p>`
        : issuers.map((issuer) =>
            checkbox({
              name: 'providers',
              label: issuer,
              value: issuer,
              isOn: providers.includes(issuer),
            }),
          )
    }${goneNote(
      'No longer registered',
      providers.filter((issuer) => !issuers.includes(issuer)),
    )}`,
  });
}

/** @param issuers of the registered providers. */
export function limitsFields(
  context: RequestContext,
  {
    values,
    issuers,
    problems,
  }: {
    readonly values: LimitsValues;
    readonly issuers: readonly string[];
    readonly problems: Problems;
  },
): Html {
  const text = (
    name: 'maxClients' | 'maxApiKeys' | 'maxTokenLifetime' | 'maxSecretLifetime' | 'ownProviders',
    hint: string,
  ) =>
    textField({
      name,
      label: limitLabel(name),
      hint,
      value: values[name],
      width: 'short',
      error: problemAt(problems, name),
    });
  const most = formatDuration(context.deployment.tokenLifetime.maximum);
  return html`
    ${scopesField(context, values, problems)}${text(
      'maxClients',
      'How many it may have. Leave it empty for no limit.',
    )}
    ${text('maxApiKeys', 'How many it may have; 0: none are allowed. Leave it empty for no limit.')}
    ${checkbox({
      name: 'requireSubnet',
      label: 'An API key must have a subnet',
      hint: `Its subnets are ${requiredSubnetText}. Wider ones do not count as a limit.`,
      isOn: values.requireSubnet,
    })}${text(
      'maxTokenLifetime',
      `The longest that a client’s tokens may be valid, ${formatDuration(minTokenLifetime)} to ${most}. Leave it empty for no limit.`,
    )}${text(
      'maxSecretLifetime',
      'The longest that a secret may have left, such as 90d. Leave it empty for no limit: then a secret may also never expire.',
    )}${providersField(issuers, values, problems)}${text(
      'ownProviders',
      'How many providers its people may register for it. Leave it empty for none.',
    )}
  `;
}
