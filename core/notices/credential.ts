import { isSyntheticClientId } from '../../contract/synthetic-check.ts';
import type { ApiKey } from '../api-key/api-key.ts';
import type { Client } from '../client/client.ts';
import { isReplaced } from '../client/secret-attention.ts';

/** A client secret or an API key, as its notices describe it. Times are seconds since the epoch. */
export type Credential = ClientSecretCredential | ApiKeyCredential;

interface Watched {
  readonly serviceTrunkGroup: string;
  readonly createdAt: number;
  readonly expiresAt?: number | undefined;
}

export interface ClientSecretCredential extends Watched {
  readonly kind: 'client_secret';
  readonly clientId: string;
  readonly clientName: string;
  readonly secretId: string;
  readonly secretName?: string | undefined;
  /** UTC day of the last token. */
  readonly lastUsedOn?: string | undefined;
  /** Whether callers have moved to a newer secret. */
  readonly replaced?: true | undefined;
  /** When its client was changed last: enabled, for example. */
  readonly changedAt: number;
}

export interface ApiKeyCredential extends Watched {
  readonly kind: 'api_key';
  readonly keyId: string;
  readonly keyName: string;
}

export type ExpiringCredential = Credential & { readonly expiresAt: number };

/** Id of the secret or of the key. */
export function credentialId(
  credential:
    | Pick<ClientSecretCredential, 'kind' | 'secretId'>
    | Pick<ApiKeyCredential, 'kind' | 'keyId'>,
): string {
  return credential.kind === 'api_key' ? credential.keyId : credential.secretId;
}

function works(expiresAt: number | undefined, now: number): boolean {
  return expiresAt === undefined || expiresAt > now;
}

/** The secrets of a client that work. Those of a synthetic check live for minutes. */
export function secretsInUse(client: Client, now: number): readonly ClientSecretCredential[] {
  if (!client.enabled || isSyntheticClientId(client.clientId)) return [];
  return client.secrets
    .filter(({ disabled, expiresAt }) => disabled !== true && works(expiresAt, now))
    .map((secret) => ({
      kind: 'client_secret',
      serviceTrunkGroup: client.serviceTrunkGroup,
      clientId: client.clientId,
      clientName: client.name,
      secretId: secret.secretId,
      secretName: secret.name,
      createdAt: secret.createdAt,
      expiresAt: secret.expiresAt,
      lastUsedOn: secret.lastUsedOn,
      ...(isReplaced(client, secret, now) && { replaced: true as const }),
      changedAt: client.updatedAt,
    }));
}

/** An API key, if it works. */
export function keyInUse(key: ApiKey, now: number): readonly ApiKeyCredential[] {
  if (!key.enabled || !works(key.expiresAt, now)) return [];
  const { keyId, name, serviceTrunkGroup, createdAt, expiresAt } = key;
  return [{ kind: 'api_key', keyId, keyName: name, serviceTrunkGroup, createdAt, expiresAt }];
}
