import { claimNameHelp } from '../../../contract/management/inputs.ts';
import type { OperationInput } from '../../../contract/management/operations.ts';
import { InputError, RefusedError } from '../../errors.ts';
import { isCognitoIssuer } from '../../identity-provider/application-rule.ts';
import {
  canNameClient,
  defaultClientIdClaims,
  describeClaimRisk,
} from '../../identity-provider/client-id-claim.ts';
import type { IdentityProvider } from '../../identity-provider/identity-provider.ts';
import { type ProviderAlg, providerAlgs } from '../../identity-provider/provider-algorithms.ts';
import { refuseInput } from '../read-input.ts';

/** What a person decides about a provider's tokens, as its documents do not say it. */
export type ProviderChoices = Omit<OperationInput<'inspectProvider', 'options'>, 'tokens'>;

/** What is stored of the choices. */
export type StoredChoices = Pick<
  IdentityProvider,
  'clientIdClaim' | 'audienceFrom' | 'clientPatterns' | 'leeway'
>;

/**
 * What the provider's tokens may be signed with: the chosen ones of those that it lists.
 *
 * @param listed undefined if it lists none.
 * @throws {InputError} for one that it does not list, or none at all.
 */
export function chooseAlgorithms(
  { algorithms: chosen }: ProviderChoices,
  listed: readonly ProviderAlg[] | undefined,
): readonly ProviderAlg[] | undefined {
  if (chosen === undefined) return listed;
  const allowed = listed ?? providerAlgs;
  const algorithms = allowed.filter((alg) => chosen.includes(alg));
  const wrong = chosen.find((alg) => !algorithms.some((one) => one === alg));
  if (wrong === undefined && algorithms.length > 0) return algorithms;
  return refuseInput('algorithms', wrong, allowed.join(', '));
}

/** @throws {InputError} for a claim that cannot name a client. */
export function checkClaimName({ clientIdClaim: claim }: ProviderChoices): void {
  if (claim !== undefined && !canNameClient(claim)) {
    refuseInput('clientIdClaim', claim, claimNameHelp);
  }
}

/**
 * Checks the choices against the provider that they are for.
 *
 * @throws {RefusedError} if the provider needs a choice that was not made, or a confirmation.
 */
export function checkProviderChoices(
  choices: ProviderChoices,
  { issuer, isStaff }: { readonly issuer: string; readonly isStaff: boolean },
): StoredChoices {
  const { clientIdClaim, audienceFrom, allowUserWritableClaim = false } = choices;
  const risk = describeClaimRisk(clientIdClaim);
  if (risk !== undefined && !isStaff) {
    throw new RefusedError(
      `${risk}. Choose ${defaultClientIdClaims.join(', ')}, appid or cid; only the platform's staff can register a provider with this one`,
    );
  }
  if (risk !== undefined && !allowUserWritableClaim) {
    throw new RefusedError(
      `${risk}. Choose ${defaultClientIdClaims.join(', ')}, appid or cid, or confirm this one`,
    );
  }
  if (audienceFrom === undefined && isCognitoIssuer(issuer)) {
    throw new InputError(
      'received nothing; allowed: scope, as access tokens of Amazon Cognito have no aud: the API is then the one whose resource server their scopes belong to. Or aud, if the user pool adds it',
      { field: 'audienceFrom', label: 'audience_from' },
    );
  }
  return {
    clientIdClaim,
    audienceFrom: audienceFrom === 'scope' ? 'scope' : undefined,
    clientPatterns: choices.allowClientPatterns === true ? true : undefined,
    leeway: choices.leeway,
  };
}
