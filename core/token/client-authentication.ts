import {
  type Client,
  type ClientReader,
  type ClientSecret,
  withoutSyntheticAuthority,
} from '../client/client.ts';
import { equalsHash, hashSecret, impossibleHash } from '../credential/secret-hash.ts';
import type { OAuthErrorReason } from '../oauth-error.ts';
import type { PortOptions } from '../port.ts';
import type { ClientCredentials } from './client-credentials.ts';

interface AuthenticatedClient {
  readonly client: Client;
  /** The one that was presented. */
  readonly secret: ClientSecret;
  readonly failure?: undefined;
}

/** What is known of a client that fails is for the log only: the client if it exists, and the secret if one matched. */
type AuthenticationResult =
  | AuthenticatedClient
  | {
      readonly client: Client | undefined;
      readonly secret: ClientSecret | undefined;
      readonly failure: OAuthErrorReason;
    };

/**
 * Minimum number of comparisons for every attempt, also for an unknown client. Few clients have
 * more live secrets than two rotations leave, and a comparison costs less than a microsecond.
 */
const minComparisons = 4;

/** Compares with every secret, so the time does not depend on which one matches. */
function findSecret(value: string, secrets: readonly ClientSecret[]): ClientSecret | undefined {
  const hash = hashSecret(value);
  const missing = Math.max(0, minComparisons - secrets.length);
  for (let count = 0; count < missing; count += 1) equalsHash(hash, impossibleHash);
  return secrets.filter((secret) => equalsHash(hash, secret.hash ?? impossibleHash))[0];
}

/** Why a client fails to authenticate; `secret` is the one that matched. */
export function findAuthenticationFailure(
  client: Client | undefined,
  secret: ClientSecret | undefined,
  now: number,
): OAuthErrorReason | undefined {
  if (client === undefined) return 'unknown_client';
  if (client.provider !== undefined) return 'provider_client';
  if (secret === undefined) return client.secrets.length === 0 ? 'no_secret' : 'wrong_secret';
  if (secret.expiresAt !== undefined && now >= secret.expiresAt) return 'secret_expired';
  if (secret.disabled === true) return 'secret_disabled';
  return client.enabled ? undefined : 'client_disabled';
}

/**
 * Authenticates a client by its secret (RFC 6749 §3.2.1). Every failure costs one read and the same
 * hash comparisons.
 */
export async function authenticateClient(
  { clientId, clientSecret }: ClientCredentials,
  clients: ClientReader,
  now: number,
  options: PortOptions = {},
): Promise<AuthenticationResult> {
  const client = await clients.findClient(clientId, options);
  const secret = findSecret(clientSecret, client?.secrets ?? []);
  const failure = findAuthenticationFailure(client, secret, now);
  if (client === undefined || secret === undefined || failure !== undefined) {
    return { client, secret, failure: failure ?? 'wrong_secret' };
  }
  return { client: withoutSyntheticAuthority(client), secret };
}
