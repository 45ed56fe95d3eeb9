import { InputError, RefusedError } from '../errors.ts';
import {
  assignedClaims,
  canNameClient,
  defaultClientIdClaims,
} from '../identity-provider/client-id-claim.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import {
  type AudienceSource,
  audienceSources,
  isCognitoIssuer,
} from '../identity-provider/token-audience.ts';
import { optional, readBoolean, readText, refuseInput } from './read-input.ts';

/** What a person decides about a provider's tokens, as its documents do not say it. */
export interface ProviderChoices {
  /** The claim that names the client. Left out: the first of `client_id`, `azp` and `sub`. */
  readonly clientIdClaim?: string | undefined;
  /**
   * Confirms a claim that is not known to be written only by the provider. If users of the
   * provider can write the claim, each of them can call as any client.
   */
  readonly allowUserWritableClaim?: boolean | undefined;
  /** `scope` for a provider whose access tokens have no `aud`, such as Amazon Cognito. */
  readonly audienceFrom?: AudienceSource | undefined;
  /** Whether ids of clients under it may be patterns, as for the jobs of a CI system. */
  readonly allowClientPatterns?: boolean | undefined;
}

const claimHelp =
  'the name of a claim that says who the client is: 1 to 128 printable ASCII characters, and not one of the claims about the token itself, such as aud or jti';

/** What is stored of the choices. */
export type StoredChoices = Pick<
  IdentityProvider,
  'clientIdClaim' | 'audienceFrom' | 'clientPatterns'
>;

function readClaim(value: unknown): string {
  const claim = readText('clientIdClaim', value, claimHelp);
  return canNameClient(claim) ? claim : refuseInput('clientIdClaim', value, claimHelp);
}

/** Why a person has to confirm the claim; undefined if only the provider writes it. */
export function describeClaimRisk(claim: string | undefined): string | undefined {
  if (claim === undefined || assignedClaims.has(claim)) return undefined;
  return `the claim ${JSON.stringify(claim)} is not known to be written only by the provider. If users of the provider can write it, such as a name or an unverified email address, each of them can call as any client`;
}

function readAudienceSource(value: unknown): AudienceSource {
  const source = audienceSources.find((one) => one === value);
  return source ?? refuseInput('audienceFrom', value, audienceSources.join(' or '));
}

/** The choices as they were given, and whether the risk of a claim was accepted. */
export interface ReadChoices extends ProviderChoices {
  readonly isRiskAccepted: boolean;
}

/** @throws {InputError} for a choice that is not allowed. */
export function readProviderChoices(
  given: Readonly<Record<keyof ProviderChoices, unknown>>,
): ReadChoices {
  const accepted = optional(given.allowUserWritableClaim, (value) =>
    readBoolean('allowUserWritableClaim', value),
  );
  return {
    clientIdClaim: optional(given.clientIdClaim, readClaim),
    audienceFrom: optional(given.audienceFrom, readAudienceSource),
    allowClientPatterns: optional(given.allowClientPatterns, (value) =>
      readBoolean('allowClientPatterns', value),
    ),
    isRiskAccepted: accepted ?? false,
  };
}

/**
 * Checks the choices against the provider that they are for.
 *
 * @throws {RefusedError} if the provider needs a choice that was not made, or a confirmation.
 */
export function checkProviderChoices(choices: ReadChoices, issuer: string): StoredChoices {
  const { clientIdClaim, audienceFrom, isRiskAccepted } = choices;
  const risk = describeClaimRisk(clientIdClaim);
  if (risk !== undefined && !isRiskAccepted) {
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
  };
}
