import { createHash } from 'node:crypto';
import { encodeBase62 } from '../credential/base62.ts';
import { idBytes, prefixes } from '../credential/credential-value.ts';
import type { ClientProvider } from './client.ts';

/**
 * The `client_id` of a client under a registered provider: derived from its identity, the pair
 * (issuer, external client id). One read finds it, and it cannot exist twice. It has
 * the form of a generated id: `client_` and 22 base62 characters of 128 bits of SHA-256.
 *
 * @throws {RangeError} if the issuer holds a line feed, which separates the two.
 */
export function deriveProviderClientId(issuer: string, externalClientId: string): string {
  if (issuer.includes('\n')) throw new RangeError('an issuer holds no line feed');
  const digest = createHash('sha256').update(`${issuer}\n${externalClientId}`, 'utf8').digest();
  return prefixes.client + encodeBase62(digest.subarray(0, idBytes));
}

/** A client's id at its provider, or its pattern. */
export function subjectOf(provider: Pick<ClientProvider, 'externalClientId'>): string {
  return provider.externalClientId;
}
