import { hash } from 'node:crypto';
import { maxClientPatternLookups } from '../../contract/bounds.ts';
import { encodeBase62, idBytes, isId, prefixes } from '../credential/credential-value.ts';
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
  const identity = hash('sha256', `${issuer}\n${externalClientId}`, 'buffer');
  return prefixes.client + encodeBase62(identity.subarray(0, idBytes));
}

/**
 * The key of a client's item. Ids of this service are keys themselves. That of an imported client
 * follows from the id of before, in a form that platform APIs may read and that is no id: who sends a
 * key as an id means the key of that.
 */
export function itemKeyOf(clientId: string): string {
  if (isId('client', clientId)) return clientId;
  return `${prefixes.client}former_${hash('sha256', clientId).slice(0, 2 * idBytes)}`;
}

/** A client's id at its provider, or its pattern. */
export function subjectOf(provider: Pick<ClientProvider, 'externalClientId'>): string {
  return provider.externalClientId;
}

/** What ends a pattern, and stands for one or more characters that are not a colon. */
const wildcard = '*';

/** Parts of a subject that a pattern must name: `repo`, `acme` and `app` of GitHub, for example. */
const leastFixedParts = 3;

/** CI systems and platforms separate the parts of a subject by these. */
const separators = /[:/]/;

function fixedParts(prefix: string): number {
  return prefix.split(separators).filter((part) => part !== '').length;
}

/**
 * The patterns that could match an id, the most specific one first. A pattern is a prefix that ends
 * with a separator, then `*`. The `*` stands for no colon, so it only covers the last field of a
 * subject such as `repo:acme/app:ref:refs/heads/main`. The number of candidates is bounded, because
 * each costs one read.
 */
export function patternsOf(externalClientId: string): readonly string[] {
  const lastField = externalClientId.lastIndexOf(':') + 1;
  const slashes = [...externalClientId.matchAll(/\//g)].map(({ index }) => index + 1);
  const ends = slashes.filter((end) => end > lastField);
  return [lastField, ...ends]
    .filter((end) => end > 0 && end < externalClientId.length)
    .map((end) => externalClientId.slice(0, end))
    .filter((prefix) => fixedParts(prefix) >= leastFixedParts)
    .slice(0, maxClientPatternLookups)
    .map((prefix) => prefix + wildcard)
    .toReversed();
}

export function hasWildcard(externalClientId: string): boolean {
  return externalClientId.includes(wildcard);
}

/** What is wrong with a pattern, as what is allowed instead; undefined if it can be registered. */
export function findPatternProblem(pattern: string): string | undefined {
  const prefix = pattern.slice(0, -1);
  if (!pattern.endsWith(wildcard) || hasWildcard(prefix)) return 'one "*", at the end';
  if (!separators.test(prefix.slice(-1))) return 'a "/" or ":" before the "*"';
  if (fixedParts(prefix) < leastFixedParts) {
    return `a pattern that is not so broad: at least ${leastFixedParts} parts before the "*", such as repo:OWNER/REPOSITORY:ref:refs/heads/*`;
  }
  if (!patternsOf(`${prefix}x`).includes(pattern)) {
    return `a "*" among the first ${maxClientPatternLookups} parts after the last ":", as the others are not looked up`;
  }
  return undefined;
}
