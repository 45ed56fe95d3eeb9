import type { AccessTokenType } from '../../contract/access-token-type.ts';
import { tokenPath } from '../../contract/routes.ts';
import { isSyntheticClientId } from '../../contract/synthetic-check.ts';
import { type ClientReader, expiresSoon, type UseRecorder } from '../client/client.ts';
import { isId } from '../credential/credential-value.ts';
import { isUseDue } from '../credential/last-use.ts';
import { OAuthError } from '../oauth-error.ts';
import {
  chooseSigningKeys,
  type KeySettings,
  type ListSigningKeys,
} from '../signing-key/select-signing-key.ts';
import { type ChooseKeys, type Sign, signJws } from '../signing-key/sign-jws.ts';
import { formatDay } from '../time.ts';
import { buildAccessTokenClaims, selectAudience, selectScopes } from './access-token-claims.ts';
import { secretInBody } from './capabilities.ts';
import { authenticateClient, readClientCredentials } from './client-authentication.ts';
import type { FailureThrottle } from './failure-throttle.ts';
import type { FairShare } from './fair-share.ts';
import {
  type AuthenticatedRequest,
  type Federation,
  readSecretForm,
  settle,
} from './federation.ts';
import type { FindBinding } from './token-binding.ts';
import {
  type ParameterSettings,
  parseTokenParameters,
  type TokenParameters,
  type TokenRequest,
} from './token-parameters.ts';
import type { SecretUse, TokenValues } from './token-values.ts';

export interface TokenPorts {
  readonly clients: ClientReader;
  readonly uses: UseRecorder;
  readonly listSigningKeys: ListSigningKeys;
  readonly sign: Sign;
  readonly failures: FailureThrottle;
  /** If the deployment config throttles what one client asks for. */
  readonly share?: FairShare | undefined;
  /** If the deployment config has `federatedClients`; see docs/adr/0108. */
  readonly federation?: Federation | undefined;
  /** If the deployment config has `dpop`. */
  readonly findBinding?: FindBinding | undefined;
  /** Whether no secret authenticates a client (`clientKeys.only`). */
  readonly keysOnly?: boolean | undefined;
}

/** Times are seconds. */
export interface TokenSettings extends KeySettings, ParameterSettings {
  readonly issuer: string;
  readonly defaultAudience: string;
  readonly maxTokenLifetime: number;
  readonly accessTokenType: AccessTokenType;
  readonly ignoredScopes?: readonly string[] | undefined;
}

/** A successful response (RFC 6749 §5.1). `scope` is always stated. */
interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer' | 'DPoP';
  readonly expires_in: number;
  readonly scope: string;
}

/**
 * Issues an access token for a client (RFC 6749 §4.4, RFC 9068). Fills in `values.log` on the way,
 * so a failure is logged with every field that was known before it.
 *
 * @throws {OAuthError} if the request is refused.
 * @throws {TooManyFailuresError} if the client failed to authenticate too often.
 * @throws {ThrottledError} if the client asks for more new tokens than it may.
 * @throws {UnavailableError} if a port does not answer in time, or no key can sign.
 * @throws {MalformedRecordError} if the client's record cannot be read.
 */
export async function issueToken(
  request: TokenRequest,
  ports: TokenPorts,
  settings: TokenSettings,
  values: TokenValues,
): Promise<TokenResponse> {
  const { now, signal, log } = values;

  // Read the request and authenticate the client (RFC 6749 §2.3.1, §4.4.2, RFC 7521 §4, RFC 8707 §2).
  const { federation } = ports;
  const form = federation && readSecretForm(request, settings.clientSecretPost);
  const found =
    federation !== undefined && form === undefined
      ? settle(await federation(request, values))
      : await authenticateBySecret(
          request,
          ports,
          values,
          parseTokenParameters(request, form, settings),
        );
  const { client, parameters } = found;

  // Decide what the client gets (RFC 6749 §3.3, RFC 8707 §2.2, RFC 9068 §2.2, RFC 9449 §5).
  const scopes = selectScopes(parameters.scopes, client.scopes, settings.ignoredScopes);
  const audience = selectAudience(parameters.resource, client.audiences, settings.defaultAudience);
  const { latestExpiry } = found;
  const { findBinding } = ports;
  const { proofs = [], path = tokenPath } = request;
  const jkt = findBinding && settle(await findBinding(proofs, { client, audience, path }, values));
  const authorized = { client, scopes, audience, latestExpiry, jkt };
  const claims = buildAccessTokenClaims(authorized, values, settings);
  Object.assign(log, { scope: claims.scope, aud: claims.aud, jti: claims.jti });

  // Sign the token, if the client may have one. The first one of a secret or workload on each day
  // records its use, and does not wait for that.
  const content = { typ: settings.accessTokenType, payload: claims };
  const chooseKeys: ChooseKeys = (maxAge) =>
    chooseSigningKeys(ports.listSigningKeys, settings, claims, { signal, maxAge });
  const keys = await chooseKeys();
  const sign = () => signJws(content, keys, ports.sign, { signal, chooseAgain: chooseKeys });
  const { share } = ports;
  const signIfAllowed = share ? () => share.take(client, values, sign) : sign;
  const secretUse = recordUse(found, ports.uses, values);
  const token = await signIfAllowed();
  log.secretUse = secretUse.state;
  Object.assign(log, { kid: token.kid, refusals: token.refusals });

  // Respond (RFC 6749 §5.1).
  return {
    access_token: token.jws,
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    expires_in: claims.exp - now,
    scope: claims.scope,
  };
}

/**
 * Authenticates the client by its secret (RFC 6749 §3.2.1), unless it failed too often from this
 * source. Logs which client authenticates with which secret, also if it fails.
 */
async function authenticateBySecret(
  { authorizations }: TokenRequest,
  { clients, failures, keysOnly }: TokenPorts,
  values: TokenValues,
  parameters: TokenParameters,
): Promise<AuthenticatedRequest> {
  const { now, signal, log } = values;
  const credentials = readClientCredentials(authorizations, parameters);
  if (parameters.postedSecret !== undefined) log.method = secretInBody;
  if (isId('client', credentials.clientId)) log.clientId = credentials.clientId;
  // The tokens of a synthetic check allow nothing.
  if (keysOnly && !isSyntheticClientId(credentials.clientId)) throw new OAuthError('keys_only');
  const attempt = { ...credentials, source: values.source };
  failures.assertAllowed(attempt, now);
  const found = await authenticateClient(credentials, clients, now, { signal });
  const { client, secret } = found;
  if (client !== undefined) log.clientId = client.clientId;
  if (secret !== undefined) log.secretId = secret.secretId;
  if (found.failure !== undefined) {
    failures.record(attempt, now);
    throw new OAuthError(found.failure);
  }
  // The secrets of the synthetic check expire soon by design.
  if (!isSyntheticClientId(found.client.clientId) && expiresSoon(found.secret, now)) {
    log.secretExpiresAt = found.secret.expiresAt;
  }
  return { client: found.client, secret: found.secret, parameters };
}

/**
 * Begins to record that a secret or an assertion was used, if that is due.
 *
 * @returns the state of the recording, which changes when the store answers. It never fails.
 */
function recordUse(
  { client, secret, latestExpiry }: Omit<AuthenticatedRequest, 'parameters'>,
  recorder: UseRecorder,
  { now, signal }: TokenValues,
): { readonly state: SecretUse } {
  const day = formatDay(now);
  // An assertion, which is stored nowhere: the client has the day.
  const isWorkload = latestExpiry !== undefined;
  const { lastUsedOn } = isWorkload ? client : secret;
  const id = isWorkload ? client.clientId : secret.secretId;
  if (!isUseDue(id, lastUsedOn, now)) return { state: 'not_due' };
  const recording: { state: SecretUse } = { state: 'pending' };
  const end = (state: SecretUse) => () => {
    recording.state = state;
  };
  recorder
    .recordUse(client.clientId, isWorkload ? undefined : secret.secretId, day, { signal })
    .then(end('recorded'), end('failed'));
  return recording;
}
