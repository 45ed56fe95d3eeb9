import type { ApiKey } from '../api-key/api-key.ts';
import type { ApiKeyReader } from '../api-key/api-key-store.ts';
import { acceptsSource } from '../api-key/subnet.ts';
import { readApiKeyId } from '../credential/credential-value.ts';
import { impossibleHash, matchesHash } from '../credential/secret-hash.ts';
import type { TimedPortOptions } from '../port.ts';
import { formatTime } from '../rfc3339.ts';
import { BearerRefusal, type Finding, type RefusalReason, refuse } from './bearer-refusal.ts';
import type { VerifiedApiKey } from './verified-credential.ts';

/** What an API key's record says. The value of the key is never shown. */
function refuseKey(
  reason: RefusalReason,
  { keyId, serviceTrunkGroup }: Pick<ApiKey, 'keyId' | 'serviceTrunkGroup'>,
  finding: Omit<Finding, 'serviceTrunkGroup'>,
): BearerRefusal {
  return refuse(reason, () => ({ ...finding, serviceTrunkGroup }), { keyId });
}

/** An unknown id costs one hash and one comparison, the same as a known one. */
function checkHash(value: string, keyId: string, key: ApiKey | undefined): ApiKey {
  const isMatch = matchesHash(value, key?.hash ?? impossibleHash);
  if (key === undefined) {
    const expected = 'the id of a key that exists';
    throw refuse('api_key_unknown', () => ({ name: 'key_id', received: keyId, expected }));
  }
  if (!isMatch) {
    const expected = 'with the value that was shown at creation';
    throw refuseKey('api_key_wrong', key, { name: 'key_id', received: keyId, expected });
  }
  return key;
}

/** @throws {BearerRefusal} for a key that is disabled or has expired. */
function checkLife(key: ApiKey, now: number): void {
  if (!key.enabled) {
    const finding = { name: 'enabled', received: false, expected: 'true' };
    throw refuseKey('api_key_disabled', key, finding);
  }
  const { expiresAt } = key;
  if (expiresAt === undefined || now < expiresAt) return;
  const received = formatTime(expiresAt);
  const finding = { name: 'expires_at', received, expected: `after ${formatTime(now)}` };
  throw refuseKey('api_key_expired', key, finding);
}

/**
 * Verifies an API key: it must be known, correct, enabled, not expired, and from a source that its list accepts.
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
  options: TimedPortOptions,
): Promise<VerifiedApiKey> {
  const keyId = readApiKeyId(value);
  if (keyId === undefined) throw new BearerRefusal('api_key_malformed');
  const key = checkHash(value, keyId, await apiKeys.findApiKey(keyId, options));
  checkLife(key, options.now);
  if (!acceptsSource(key.subnets, source ?? '')) {
    const subnets = key.subnets.map(({ address, prefixLength }) => `${address}/${prefixLength}`);
    const finding = { name: 'source address', received: source, expected: subnets.join(', ') };
    throw refuseKey('api_key_source_refused', key, finding);
  }
  const { serviceTrunkGroup, scopes } = key;
  const verified = { credential: 'api_key', keyId, serviceTrunkGroup } as const;
  return scopes === undefined ? verified : { ...verified, scopes };
}
