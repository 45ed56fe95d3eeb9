import { formatTime } from '../time.ts';
import type { GivenKeys } from './identity-provider.ts';

/** The JWKS URI of a provider whose keys were given. No URL with a fragment is ever fetched. */
export function givenKeysUri(issuer: string): string {
  return `${issuer}#keys`;
}

/** The keys that follow those of this, or of a former, registration. */
export function nextKeys(
  before: GivenKeys | undefined,
  { issuer, registrationId }: Pick<GivenKeys, 'issuer' | 'registrationId'>,
  content: Pick<GivenKeys, 'jwks' | 'updatedAt'>,
): GivenKeys {
  return { ...content, issuer, registrationId, version: (before?.version ?? 0) + 1 };
}

/** The version of a provider's keys; undefined if they are fetched, or missing. */
export function versionOf(
  keys: GivenKeys | undefined,
  { registrationId }: Pick<GivenKeys, 'registrationId'>,
) {
  if (keys?.registrationId !== registrationId) return undefined;
  const { version, updatedAt } = keys;
  return { version, updatedAt };
}

export function hasGivenKeys(provider: { readonly issuer: string; readonly jwksUri?: string }) {
  return provider.jwksUri === givenKeysUri(provider.issuer);
}

/** In words, for a person. */
export function describeGivenKeys(keys: Pick<GivenKeys, 'version' | 'updatedAt'> | undefined) {
  if (keys === undefined) return 'missing: no token is accepted until keys are given';
  return `version ${keys.version}, of ${formatTime(keys.updatedAt)}`;
}
