import type { ApiKey } from '../api-key/api-key.ts';
import type { ApiKeyReader } from '../api-key/api-key-store.ts';
import { acceptsSource } from '../api-key/subnet.ts';
import { readApiKeyId } from '../credential/credential-value.ts';
import { impossibleHash, matchesHash } from '../credential/secret-hash.ts';
import type { PortOptions } from '../port.ts';
import { BearerRefusal } from './bearer-refusal.ts';
import type { VerifiedApiKey } from './verified-credential.ts';

/** An unknown id costs one hash and one comparison, the same as a known one. */
function checkHash(value: string, key: ApiKey | undefined): ApiKey {
  const isMatch = matchesHash(value, key?.hash ?? impossibleHash);
  if (key === undefined) throw new BearerRefusal('api_key_unknown');
  if (!isMatch) throw new BearerRefusal('api_key_wrong', { keyId: key.keyId });
  return key;
}

/**
 * Verifies an API key: it must be known, correct, enabled, and from a source that its list accepts.
 * Every refusal has the same public text.
 *
 * @param source the address that the connection came from, as text; undefined if it is not
 *   known, which only a key without a list accepts.
 * @throws {BearerRefusal}
 * @throws {UnavailableError} if the key cannot be read.
 */
export async function verifyApiKey(
  value: string,
  source: string | undefined,
  apiKeys: ApiKeyReader,
  options: PortOptions = {},
): Promise<VerifiedApiKey> {
  const keyId = readApiKeyId(value);
  if (keyId === undefined) throw new BearerRefusal('api_key_malformed');
  const key = checkHash(value, await apiKeys.findApiKey(keyId, options));
  if (!key.enabled) throw new BearerRefusal('api_key_disabled', { keyId });
  if (!acceptsSource(key.subnets, source ?? '')) {
    throw new BearerRefusal('api_key_source_refused', { keyId });
  }
  return { credential: 'api_key', keyId, serviceTrunkGroup: key.serviceTrunkGroup };
}
