import { isSyntheticClientId } from '../../contract/synthetic-check.ts';
import { secretStatus } from '../client/client.ts';
import { isId } from '../credential/credential-value.ts';
import {
  type Authenticate,
  type AuthenticatedClient,
  ClientAuthenticationError,
} from './client-authentication.ts';
import type { SignToken } from './sign-token.ts';

/** The secrets of the synthetic check expire soon by design. */
function isNearExpiry({ client, secret }: AuthenticatedClient, now: number): boolean {
  return secretStatus(secret, now) === 'expires_soon' && !isSyntheticClientId(client.clientId);
}

/** Logs which client authenticates with which secret, also when it is refused. */
export function logAuthentication(authenticate: Authenticate): Authenticate {
  return async (credentials, values, parameters) => {
    const { log, now } = values;
    if (isId('client', credentials.clientId)) log.clientId = credentials.clientId;
    try {
      const authenticated = await authenticate(credentials, values, parameters);
      const { client, secret } = authenticated;
      log.clientId = client.clientId;
      log.secretId = secret.secretId;
      if (isNearExpiry(authenticated, now) && secret.expiresAt !== undefined) {
        log.secretExpiresAt = secret.expiresAt;
      }
      return authenticated;
    } catch (error) {
      if (error instanceof ClientAuthenticationError) {
        log.clientId = error.clientId ?? log.clientId;
        log.secretId = error.secretId;
      }
      throw error;
    }
  };
}

/** Logs the token and the key that signed it. */
export function logSigning(sign: SignToken): SignToken {
  return async (token, values) => {
    const { scope, aud, jti } = token.claims;
    Object.assign(values.log, { scope, aud, jti });
    const signed = await sign(token, values);
    // A reused token keeps its own id.
    values.log.jti = signed.claims.jti;
    values.log.kid = signed.kid;
    values.log.unusableKids = signed.unusableKids;
    return signed;
  };
}
