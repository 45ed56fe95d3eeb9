import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  base62Length,
  crc32,
  encodeBase62,
  equalsHash,
  formatApiKeyValue,
  formatClientSecret,
  formatId,
  hashSecret,
  impossibleHash,
  isId,
  looksLikeClientSecret,
  readApiKeyId,
} from '../../../core/credential/credential-value.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

describe('the checksum', () => {
  it('is the CRC-32 of node:zlib', () => {
    expect(crc32('123456789')).toBe(0xcbf43926);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(crc32(text)).toBe(zlibCrc32(text));
      }),
    );
  });
});

describe('base 62', () => {
  it('is the number that the bytes are, digit by digit', () => {
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const read = (text: string) =>
      text.split('').reduce((sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)), 0n);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (any) => {
        expect(read(encodeBase62(any))).toBe(BigInt(`0x0${Buffer.from(any).toString('hex')}`));
        expect(encodeBase62(any)).toHaveLength(base62Length(any.length));
      }),
    );
  });

  it('has one width for each number of bytes and keeps their order', () => {
    fc.assert(
      fc.property(bytes(16), bytes(16), (a, b) => {
        expect(encodeBase62(a)).toHaveLength(base62Length(16));
        expect(Math.sign(Buffer.compare(a, b))).toBe(
          Math.sign(Buffer.compare(Buffer.from(encodeBase62(a)), Buffer.from(encodeBase62(b)))),
        );
      }),
    );
  });
});

describe('credential values', () => {
  it('are unreserved in forms and Basic, so that both ways of encoding agree', () => {
    fc.assert(
      fc.property(bytes(32), (random) => {
        const secret = formatClientSecret(random);
        expect(encodeURIComponent(secret)).toBe(secret);
        expect(looksLikeClientSecret(secret)).toBe(true);
      }),
    );
  });

  it('embed the API key id', () => {
    fc.assert(
      fc.property(bytes(16), bytes(32), (id, random) => {
        const keyId = formatId('apiKey', id);
        expect(isId('apiKey', keyId)).toBe(true);
        expect(readApiKeyId(formatApiKeyValue(keyId, random))).toBe(keyId);
      }),
    );
  });

  it('notice one changed character', () => {
    const secret = formatClientSecret(new Uint8Array(32).fill(7));
    const changed = secret.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    expect(looksLikeClientSecret(changed)).toBe(false);
    expect(looksLikeClientSecret(`${secret}x`)).toBe(false);
    expect(looksLikeClientSecret('')).toBe(false);
  });

  it('are kept as a named hash that nothing but the value matches', () => {
    const stored = hashSecret('cs_value');
    expect(stored).toMatch(/^sha256\$[A-Za-z0-9_-]{43}$/);
    expect(equalsHash(hashSecret('cs_value'), stored)).toBe(true);
    expect(equalsHash(hashSecret('cs_valuf'), stored)).toBe(false);
    expect(equalsHash(hashSecret(''), impossibleHash)).toBe(false);
    expect(equalsHash(hashSecret('cs_value'), 'md5$abc')).toBe(false);
  });
});
