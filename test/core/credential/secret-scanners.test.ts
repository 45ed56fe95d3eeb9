import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  encodeBase62,
  formatApiKeyValue,
  formatClientSecret,
  formatId,
  looksLikeClientSecret,
  readApiKeyId,
} from '../../../core/credential/credential-value.ts';

const page = readFileSync(new URL('../../../docs/secret-scanning.md', import.meta.url), 'utf8');
const pattern = new RegExp(/```regex\n(.+)\n```/.exec(page)?.[1] ?? '(?!)', 'g');

/** A scanner as the page describes it: the pattern, then the checksum. */
function scan(text: string): readonly string[] {
  return [...text.matchAll(pattern)]
    .map(([found]) => found)
    .filter((found) => {
      const checksum = Buffer.alloc(4);
      checksum.writeUInt32BE(crc32(found.slice(0, -6)));
      return found.endsWith(encodeBase62(checksum));
    });
}

const bytes = (length: number, seed: number) =>
  Uint8Array.from({ length }, (_, index) => (seed * 89 + index * index * 7 + 13) % 256);

const secret = (seed: number) => formatClientSecret(bytes(32, seed));
const key = (seed: number) =>
  formatApiKeyValue(formatId('apiKey', bytes(16, seed)), bytes(32, seed + 1));

const good = [1, 2, 3, 4, 5].flatMap((seed) => [secret(seed), key(seed)]);

const bad: readonly (readonly [what: string, text: string])[] = [
  ['a secret with another last character', `${secret(1).slice(0, -1)}_`],
  [
    'a secret with one digit changed',
    secret(1).replace(/^cs_./, secret(1)[3] === '0' ? 'cs_1' : 'cs_0'),
  ],
  [
    'a key with one digit of its id changed',
    key(1).replace(/^ak_./, key(1)[3] === '0' ? 'ak_1' : 'ak_0'),
  ],
  ['a secret that is cut', secret(2).slice(0, -1)],
  ['a key that is cut', key(2).slice(0, -1)],
  ['a secret that is longer', `${secret(3)}0`],
  ['a key without its id', `ak_${key(3).slice(26)}`],
  ['a key with the prefix of a secret', key(4).replace('ak_', 'cs_')],
  ['the id of a client', formatId('client', bytes(16, 1))],
  ['a secret in the middle of a word', `docs_${secret(5).slice(3)}`],
];

describe('what docs/secret-scanning.md tells secret scanners', () => {
  it.each(good)('finds %s', (value) => {
    expect(looksLikeClientSecret(value) || readApiKeyId(value) !== undefined).toBe(true);
    for (const text of [value, `KEY="${value}"`, `key: ${value}\n`, `?k=${value}&x=1`]) {
      expect(scan(text)).toEqual([value]);
    }
  });

  it.each(bad)('does not find %s', (_, text) => {
    expect(looksLikeClientSecret(text) || readApiKeyId(text) !== undefined).toBe(false);
    expect(scan(text)).toEqual([]);
  });

  it('has ten good examples and ten bad ones', () => {
    expect([good.length, new Set(good).size, bad.length]).toEqual([10, 10, 10]);
  });
});
