import { type Client, type ClientSecret, withoutSyntheticAuthority } from '../client/client.ts';
import type { ClientReader } from '../client/client-store.ts';
import { equalsHash, hashSecret, impossibleHash } from '../credential/secret-hash.ts';
import { OAuthError, type OAuthErrorReason } from '../oauth-error.ts';
import type { PortOptions } from '../port.ts';
import type { ClientCredentials } from './client-credentials.ts';
import type { SharedToken } from './sealed-token-store.ts';
import type { TokenParameters } from './token-parameters.ts';
import type { TokenValues } from './token-values.ts';

export interface AuthenticatedClient {
  readonly client: Client;
  readonly secret: ClientSecret;
  /** Only if the deployment shares tokens: what another instance may have signed for this request. */
  readonly shared?: SharedToken | undefined;
}

/**
 * The step of a token request that authenticates its client.
 *
 * @throws {OAuthError} `invalid_client`.
 */
export type Authenticate = (
  credentials: ClientCredentials,
  values: TokenValues,
  parameters: TokenParameters,
) => Promise<AuthenticatedClient>;

/** A refused client, with the fields that may be logged. */
export class ClientAuthenticationError extends OAuthError {
  /** Of an existing client. */
  readonly clientId: string | undefined;
  /** Of the client's secret that matched. */
  readonly secretId: string | undefined;

  constructor(reason: OAuthErrorReason, client?: Client, secret?: ClientSecret) {
    super(reason);
    this.clientId = client?.clientId;
    this.secretId = secret?.secretId;
  }
}

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
  return secrets.filter((secret) => equalsHash(hash, secret.hash))[0];
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
  return client.enabled ? undefined : 'client_disabled';
}

/**
 * Authenticates a client by its secret (RFC 6749 §3.2.1): every failure costs one read and the same
 * hash comparisons, and returns the same response.
 *
 * @throws {ClientAuthenticationError} `invalid_client`.
 */
export async function authenticateClient(
  { clientId, clientSecret }: ClientCredentials,
  clients: ClientReader,
  now: number,
  options: PortOptions = {},
): Promise<AuthenticatedClient> {
  const client = await clients.findClient(clientId, options);
  const secret = findSecret(clientSecret, client?.secrets ?? []);
  const failure = findAuthenticationFailure(client, secret, now);
  if (client === undefined || secret === undefined || failure !== undefined) {
    throw new ClientAuthenticationError(failure ?? 'wrong_secret', client, secret);
  }
  return { client: withoutSyntheticAuthority(client), secret };
}
