import { isSyntheticClientId } from '../../contract/synthetic-check.ts';
import { apiKeyUseId } from '../../contract/tables.ts';
import type { ApiKey } from '../api-key/api-key.ts';
import type { Client } from '../client/client.ts';
import { isEnabled } from '../stops.ts';

/** The ends of what is enabled and expires, by id: seconds since the epoch. */
export type CredentialEnds = Readonly<Record<string, number>>;

/** Of a client's secrets. Those of a synthetic check live for minutes. */
export function secretEnds(client: Client): CredentialEnds {
  if (!isEnabled(client) || isSyntheticClientId(client.clientId)) return {};
  return Object.fromEntries(
    client.secrets
      .filter(isEnabled)
      .flatMap(({ secretId, expiresAt }) =>
        expiresAt === undefined ? [] : [[secretId, expiresAt] as const],
      ),
  );
}

/** Of an API key, and of its values that a rotation has replaced and that expire before it. */
export function apiKeyEnds(key: ApiKey): CredentialEnds {
  const { keyId, expiresAt, oldValues = [] } = key;
  if (!isEnabled(key)) return {};
  const old = oldValues.filter((value) => value.expiresAt < (expiresAt ?? Infinity));
  return {
    ...(expiresAt !== undefined && { [keyId]: expiresAt }),
    ...Object.fromEntries(old.map((one) => [apiKeyUseId(keyId, one.valueId), one.expiresAt])),
  };
}
