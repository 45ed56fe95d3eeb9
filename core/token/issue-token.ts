import type { RegionId } from '../../contract/regions.ts';
import type { ClientReader, SecretUseRecorder } from '../client/client-store.ts';
import { isId } from '../credential/credential-value.ts';
import type { PortOptions } from '../port.ts';
import { selectSigningKeys } from '../signing-key/select-signing-key.ts';
import type { Sign } from '../signing-key/sign.ts';
import { signJws } from '../signing-key/sign-jws.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import { accessTokenType, buildAccessTokenClaims } from './access-token-claims.ts';
import { authenticateClient } from './client-authentication.ts';
import { readClientCredentials } from './client-credentials.ts';
import type { FailureLimiter } from './failure-limiter.ts';
import { limitFailures } from './limit-failures.ts';
import { selectAudience } from './resource.ts';
import { grantScopes } from './scope.ts';
import { beginSecretUse } from './secret-use.ts';
import type { NoteTokenFacts } from './token-facts.ts';
import { parseTokenParameters, type TokenRequest } from './token-parameters.ts';
import type { SignedToken, TokenReuse, TokenWish } from './token-reuse.ts';

export interface TokenPorts {
  readonly clients: ClientReader;
  readonly secretUses: SecretUseRecorder;
  /** Every signing key of every region; usually from a cache. */
  readonly listSigningKeys: (now: number, options?: PortOptions) => Promise<readonly SigningKey[]>;
  readonly sign: Sign;
  readonly failures: FailureLimiter;
  /** Where the deployment chose to give tokens again; see docs/adr/0031. */
  readonly reuse?: TokenReuse | undefined;
  readonly note: NoteTokenFacts;
}

export interface TokenValues {
  /** Seconds since the epoch. */
  readonly now: number;
  /** 16 random bytes. */
  readonly random: Uint8Array;
  /** Ends every port's call when the request's deadline passes. */
  readonly signal?: AbortSignal | undefined;
}

/** Times are seconds. */
export interface TokenSettings {
  readonly issuer: string;
  readonly regionId: RegionId;
  readonly defaultAudience: string;
  readonly maxTokenLifetime: number;
  readonly publicationLead: number;
}

/** A successful response (RFC 6749 §5.1). `scope` is always stated. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
}

/** Signs what a request asks for, unless the deployment reuses tokens and there is one to give. */
async function signOrReuse(
  wish: TokenWish,
  keys: readonly SigningKey[],
  ports: Pick<TokenPorts, 'sign' | 'reuse'>,
  options: PortOptions,
): Promise<{ readonly token: SignedToken; readonly isReused: boolean }> {
  const { claims } = wish;
  const sign = async (): Promise<SignedToken> => ({
    ...(await signJws(accessTokenType, claims, keys, ports.sign, options)),
    claims,
  });
  return ports.reuse === undefined
    ? { token: await sign(), isReused: false }
    : ports.reuse.take(wish, sign);
}

/**
 * Issues an access token for a client (RFC 6749 §4.4, RFC 9068).
 *
 * @throws {OAuthError} where the request is refused.
 * @throws {TooManyFailuresError} where the client failed to authenticate too often.
 * @throws {UnavailableError} where a port does not answer in time.
 * @throws {MalformedRecordError} where the client's record cannot be read.
 */
export async function issueToken(
  request: TokenRequest,
  ports: TokenPorts,
  values: TokenValues,
  settings: TokenSettings,
): Promise<TokenResponse> {
  const { now, signal } = values;
  const parameters = parseTokenParameters(request);
  const credentials = readClientCredentials(request.authorizations, parameters);
  if (isId('client', credentials.clientId)) ports.note({ clientId: credentials.clientId });

  const attempt = { ...credentials, source: request.source };
  const authenticated = await limitFailures(ports.failures, attempt, now, () =>
    authenticateClient(credentials, ports, now, { signal }),
  );
  const { client } = authenticated;
  const scopes = grantScopes(parameters.scopes, client.scopes);
  const audience = selectAudience(parameters.resource, client.audiences, settings.defaultAudience);
  const claims = buildAccessTokenClaims({ client, scopes, audience }, values, settings);
  ports.note({ scope: claims.scope, aud: claims.aud, jti: claims.jti });

  const allKeys = await ports.listSigningKeys(now, { signal });
  const keys = selectSigningKeys(allKeys, { ...settings, now, expiresAt: claims.exp });
  const secretUse = beginSecretUse(authenticated, ports.secretUses, now, { signal });
  const wish = {
    claims,
    secretId: authenticated.secret.secretId,
    clientVersion: client.version,
    kid: keys[0]?.kid,
  };
  const { token, isReused } = await signOrReuse(wish, keys, ports, { signal });
  const { kid, unusableKids } = token;
  ports.note({ jti: token.claims.jti, kid, unusableKids, secretUse: secretUse() });
  if (isReused) ports.note({ isReused });

  return {
    access_token: token.jws,
    token_type: 'Bearer',
    expires_in: token.claims.exp - now,
    scope: claims.scope,
  };
}
