import type { ClientReader, SecretUseRecorder } from '../client/client-store.ts';
import type { Sign } from '../signing-key/sign.ts';
import { type Authenticate, authenticateClient } from './client-authentication.ts';
import { type FailureLimiter, limitFailures } from './failure-limiter.ts';
import { issueToken, type TokenResponse, type TokenSettings } from './issue-token.ts';
import { recordSecretUse } from './secret-use.ts';
import type { SharedTokenReuse } from './shared-reuse.ts';
import { chooseKeys, createSignWithKeys, type ListSigningKeys } from './sign-token.ts';
import { logAuthentication, logSigning } from './token-log.ts';
import type { TokenRequest } from './token-parameters.ts';
import { reuseTokens, type TokenReuse } from './token-reuse.ts';
import type { TokenValues } from './token-values.ts';

export interface TokenPorts {
  readonly clients: ClientReader;
  readonly secretUses: SecretUseRecorder;
  readonly listSigningKeys: ListSigningKeys;
  readonly sign: Sign;
  readonly failures: FailureLimiter;
  /** Set if the deployment config turns on token reuse; see docs/adr/0031. */
  readonly reuse?: TokenReuse | undefined;
  /** If instances share them; see docs/adr/0061. */
  readonly sharedReuse?: SharedTokenReuse | undefined;
}

/**
 * Issues a token, see {@link issueToken}.
 *
 * @throws {OAuthError} if the request is refused.
 * @throws {TooManyFailuresError} if the client failed to authenticate too often.
 * @throws {UnavailableError} if a port does not answer in time.
 * @throws {MalformedRecordError} if the client's record cannot be read.
 */
export type IssueToken = (request: TokenRequest, values: TokenValues) => Promise<TokenResponse>;

/** {@link issueToken} with everything around its steps: limits, records and log fields. */
export function createTokenIssuer(ports: TokenPorts, settings: TokenSettings): IssueToken {
  const { reuse, sharedReuse } = ports;
  const readClient: Authenticate = (credentials, { now, signal }) =>
    authenticateClient(credentials, ports.clients, now, { signal });
  const authenticate = limitFailures(
    ports.failures,
    sharedReuse === undefined ? readClient : sharedReuse.readAhead(readClient),
  );
  const signNew = createSignWithKeys(ports.sign, settings.accessTokenType);
  const signOrFind = sharedReuse === undefined ? signNew : sharedReuse.shareTokens(signNew);
  const sign = reuse === undefined ? signOrFind : reuseTokens(reuse, signOrFind);
  const recorded = recordSecretUse(ports.secretUses, sign);
  const steps = {
    authenticate: logAuthentication(authenticate),
    sign: logSigning(chooseKeys(ports.listSigningKeys, settings, recorded)),
  };
  return (request, values) => issueToken(request, steps, values, settings);
}
