import { describeClaimRisk } from '../../core/identity-provider/client-id-claim.ts';
import { type Problems, typedField } from '../forms/problems.ts';
import { type ProviderValues, providerLabels } from '../forms/provider-form.ts';
import { checkbox, selectField, textField } from './field.ts';
import { type Html, html } from './html.ts';

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
