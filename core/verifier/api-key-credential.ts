import { type ApiKey, type ApiKeyReader, type OldValue, valueIdOf } from '../api-key/api-key.ts';
import { acceptsSource } from '../api-key/subnet.ts';
import {
  equalsHash,
  hashSecret,
  impossibleHash,
  readApiKeyId,
} from '../credential/credential-value.ts';
import type { TimedPortOptions } from '../port.ts';
import { formatTime } from '../time.ts';
import {
  BearerRefusal,
  type Finding,
  type RefusalReason,
  refuseBearer,
  refuseFor,
  stopsFinding,
} from './bearer-refusal.ts';
import type { VerifiedApiKey } from './verified-credential.ts';

/** What an API key's record says. The value of the key is never shown. */
function refuseKey(
  reason: RefusalReason,
  { keyId, serviceTrunkGroup }: Pick<ApiKey, 'keyId' | 'serviceTrunkGroup'>,
  finding: Omit<Finding, 'serviceTrunkGroup'>,
): BearerRefusal {
  return refuseBearer(reason, () => ({ ...finding, serviceTrunkGroup }), { keyId });
}

interface Matched {
  readonly key: ApiKey;
  /** Undefined if it is the present value. */
  readonly old: OldValue | undefined;
}

/** An unknown id costs one hash and one comparison, the same as a known one. */
function checkHash(value: string, keyId: string, key: ApiKey | undefined): Matched {
  const hash = hashSecret(value);
  const isMatch = equalsHash(hash, key?.hash ?? impossibleHash);
  if (key === undefined) {
    throw refuseFor('api_key_unknown', 'key_id', keyId, 'the id of a key that exists');
  }
  const old = key.oldValues?.find((one) => equalsHash(hash, one.hash));
  if (!isMatch && old === undefined) {
    const expected = 'with the value that was shown at creation';
    throw refuseKey('api_key_wrong', key, { name: 'key_id', received: keyId, expected });
  }
  return { key, old: isMatch ? undefined : old };
}

/** The earlier of the ends of the key and of the value. */
function expiryOf({ key, old }: Matched): number | undefined {
  const ends = [key.expiresAt, old?.expiresAt].filter((end) => end !== undefined);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** @throws {BearerRefusal} for a key that is disabled, or a value of it that has expired. */
function checkLife({ key, old }: Matched, now: number): void {
  if (key.stops !== undefined) throw refuseKey('api_key_disabled', key, stopsFinding(key.stops));
  const isOldOver = old !== undefined && now >= old.expiresAt;
  const expiresAt = isOldOver ? old.expiresAt : key.expiresAt;
  if (expiresAt === undefined || now < expiresAt) return;
  const received = formatTime(expiresAt);
  const name = isOldOver ? 'expires_at of an old value' : 'expires_at';
  const finding = { name, received, expected: `after ${formatTime(now)}` };
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
  const matched = checkHash(value, keyId, await apiKeys.findApiKey(keyId, options));
  checkLife(matched, options.now);
  const { key } = matched;
  if (!acceptsSource(key.subnets, source ?? '')) {
    const subnets = key.subnets.map(({ address, prefixLength }) => `${address}/${prefixLength}`);
    const finding = { name: 'source address', received: source, expected: subnets.join(', ') };
    throw refuseKey('api_key_source_refused', key, finding);
  }
  apiKeys.recordUse?.({ keyId, valueId: matched.old?.valueId ?? valueIdOf(key) }, options.now);
  const { serviceTrunkGroup, scopes } = key;
  const expiresAt = expiryOf(matched);
  return {
    credential: 'api_key',
    keyId,
    serviceTrunkGroup,
    ...(scopes !== undefined && { scopes }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}
