import type { AccessTokenType } from '../../contract/access-token-type.ts';
import type { RegionId } from '../../contract/regions.ts';
import { buildAccessTokenClaims } from './access-token-claims.ts';
import type { Authenticate } from './client-authentication.ts';
import { readClientCredentials } from './client-credentials.ts';
import { selectAudience } from './resource.ts';
import { grantScopes } from './scope.ts';
import type { SignedToken, SignToken } from './sign-token.ts';
import { parseTokenParameters, type TokenRequest } from './token-parameters.ts';
import type { TokenValues } from './token-values.ts';

/** The steps that do more than read the request. */
export interface TokenSteps {
  readonly authenticate: Authenticate;
  readonly sign: SignToken;
}

/** Times are seconds. */
export interface TokenSettings {
  readonly issuer: string;
  readonly regionId: RegionId;
  readonly defaultAudience: string;
  readonly maxTokenLifetime: number;
  readonly publicationLead: number;
  readonly leeway: number;
  readonly accessTokenType: AccessTokenType;
}

/** A successful response (RFC 6749 §5.1). `scope` is always stated. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
}

function toResponse({ jws, claims }: SignedToken, now: number): TokenResponse {
  return {
    access_token: jws,
    token_type: 'Bearer',
    expires_in: claims.exp - now,
    scope: claims.scope,
  };
}

/**
 * Issues an access token for a client (RFC 6749 §4.4, RFC 9068).
 *
 * @throws {OAuthError} if the request is refused.
 * @throws what the steps throw.
 */
export async function issueToken(
  request: TokenRequest,
  steps: TokenSteps,
  values: TokenValues,
  settings: TokenSettings,
): Promise<TokenResponse> {
  const parameters = parseTokenParameters(request);
  const credentials = readClientCredentials(request.authorizations, parameters);
  const authenticated = await steps.authenticate(credentials, values, parameters);
  const { client } = authenticated;
  const scopes = grantScopes(parameters.scopes, client.scopes);
  const audience = selectAudience(parameters.resource, client.audiences, settings.defaultAudience);
  const claims = buildAccessTokenClaims({ client, scopes, audience }, values, settings);
  const token = await steps.sign({ ...authenticated, claims }, values);
  return toResponse(token, values.now);
}
