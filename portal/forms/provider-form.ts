import { secondsOrTyped } from '../../core/duration.ts';
import { describeClaimRisk } from '../../core/identity-provider/client-id-claim.ts';
import { checkbox, fieldGroup, fixedField, selectField, textField } from '../html/field.ts';
import { type Html, html } from '../html/html.ts';
import { type Fields, type Problems, typedField } from './problems.ts';

export const providerLabels = {
  discoveryUrl: 'Discovery URL',
  clientIdClaim: 'Claim that names the client (optional)',
  audienceFrom: 'Audience',
  algorithms: 'Algorithms (optional)',
  leeway: 'Clock difference, e.g. 30s (optional)',
  trunkGroups: 'Trunk groups',
  keepClientsOf: 'Trunk groups whose clients stay in a takeover',
};

/** The content of a provider's form, as entered. */
export type ProviderValues = Readonly<ReturnType<typeof readProviderValues>>;

export function readProviderValues(fields: Fields) {
  return {
    url: fields.text('discoveryUrl').trim(),
    clientIdClaim: fields.text('clientIdClaim').trim(),
    isRiskAccepted: fields.isOn('allowUserWritableClaim'),
    audienceFrom: fields.text('audienceFrom'),
    allowsPatterns: fields.isOn('allowClientPatterns'),
    algorithms: fields.text('algorithms').trim(),
    leeway: fields.text('leeway').trim(),
    trunkGroups: fields.all('trunkGroups'),
  };
}

/** As input of the library, which refuses invalid values. */
export function choicesOf(values: ProviderValues) {
  return {
    clientIdClaim: values.clientIdClaim || undefined,
    allowUserWritableClaim: values.isRiskAccepted,
    audienceFrom: (values.audienceFrom || undefined) as 'aud' | 'scope' | undefined,
    allowClientPatterns: values.allowsPatterns,
    algorithms: values.algorithms === '' ? undefined : values.algorithms.split(/[\s,]+/),
    leeway: secondsOrTyped(values.leeway || undefined),
  };
}

/** The form asks for the confirmation only if the claim needs one. */
export function riskField({
  clientIdClaim,
  isRiskAccepted,
}: {
  readonly clientIdClaim?: string | undefined;
  readonly isRiskAccepted: boolean;
}): Html {
  const risk = describeClaimRisk(clientIdClaim || undefined);
  if (risk === undefined) return html``;
  return checkbox({
    name: 'allowUserWritableClaim',
    label: 'Only the provider writes this claim, never one of its users',
    hint: `Warning: ${risk}.`,
    isOn: isRiskAccepted,
  });
}

/** Settings that no document of the provider contains. */
export function choiceFields(values: ProviderValues, problems: Problems): Html {
  return html`${textField({
    ...typedField(values, 'clientIdClaim', problems),
    label: providerLabels.clientIdClaim,
    hint: 'Leave it empty for client_id, azp or sub, the first that a token has. Entra ID v1 has appid, Okta cid.',
    width: 'medium',
    isCode: true,
    suggestions: ['client_id', 'azp', 'sub', 'appid', 'cid'],
  })}${riskField(values)}${selectField({
    ...typedField(values, 'audienceFrom', problems),
    label: providerLabels.audienceFrom,
    hint: 'Access tokens of Amazon Cognito have no aud.',
    options: [
      ['', 'The claim aud'],
      ['aud', 'The claim aud, also of a Cognito user pool that adds it'],
      ['scope', 'The API that the scopes belong to, if there is no aud'],
    ],
  })}${checkbox({
    name: 'allowClientPatterns',
    label: 'Ids of its clients may end with *, as for the branches of a CI system',
    isOn: values.allowsPatterns,
  })}${textField({
    ...typedField(values, 'algorithms', problems),
    label: providerLabels.algorithms,
    hint: 'Leave it empty for all that the provider lists. A key without alg is used only if one of them fits, such as RS256.',
    width: 'medium',
    isCode: true,
  })}${textField({
    ...typedField(values, 'leeway', problems),
    label: providerLabels.leeway,
    hint: 'By how much its clock may differ: 10 to 60. Leave it empty for 10.',
    width: 'medium',
  })}`;
}

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
