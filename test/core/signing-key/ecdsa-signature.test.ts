import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type EcdsaAlg,
  EcdsaSignatureError,
  ecdsaSignatureFromDer,
} from '../../../core/signing-key/ecdsa-signature.ts';
import { publicJwkFromSpki } from '../../../core/signing-key/public-jwk.ts';
import { verifyWithJwk } from '../../../core/signing-key/sign-jws.ts';

const widths: Readonly<Record<EcdsaAlg, number>> = { ES256: 32, ES384: 48 };
const algs = Object.keys(widths) as EcdsaAlg[];

function derInteger(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const content = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
  return Buffer.concat([Buffer.of(0x02, content.length), content]);
}

function derSignature(r: bigint, s: bigint): Buffer {
  const content = Buffer.concat([derInteger(r), derInteger(s)]);
  return Buffer.concat([Buffer.of(0x30, content.length), content]);
}

function fixed(value: bigint, width: number): string {
  return value.toString(16).padStart(2 * width, '0');
}

/** Integers of every length, so that short ones and ones with a set top bit are common. */
function positiveInteger(width: number) {
  return fc
    .integer({ min: 1, max: width * 8 })
    .chain((bits) => fc.bigInt({ min: 1n << BigInt(bits - 1), max: (1n << BigInt(bits)) - 1n }));
}

describe('ECDSA signatures from DER', () => {
  it.each(algs)('%s: every pair of positive integers becomes R‖S of fixed width', (alg) => {
    const width = widths[alg];
    fc.assert(
      fc.property(positiveInteger(width), positiveInteger(width), (r, s) => {
        const raw = Buffer.from(ecdsaSignatureFromDer(derSignature(r, s), alg));
        expect(raw.toString('hex')).toBe(fixed(r, width) + fixed(s, width));
      }),
      { numRuns: 20_000 },
    );
  });

  it.each([
    ['ES256', 'P-256', 'sha256'],
    ['ES384', 'P-384', 'sha384'],
  ] as const)('%s: real signatures verify once converted', (alg, namedCurve, digest) => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
    const jwk = publicJwkFromSpki(publicKey.export({ type: 'spki', format: 'der' }), alg);
    for (let round = 0; round < 300; round += 1) {
      const input = Buffer.from(`signing input ${round}`);
      const raw = ecdsaSignatureFromDer(sign(digest, input, privateKey), alg);
      expect(raw).toHaveLength(2 * widths[alg]);
      expect(verifyWithJwk(jwk, input, raw)).toBe(true);
      raw[round % raw.length] = (raw[round % raw.length] ?? 0) ^ 1;
      expect(verifyWithJwk(jwk, input, raw)).toBe(false);
    }
  });

  const good = derSignature(5n, 7n);

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['another tag', Buffer.concat([Buffer.of(0x31), good.subarray(1)])],
    ['a cut-off sequence', good.subarray(0, good.length - 1)],
    ['bytes after the sequence', Buffer.concat([good, Buffer.of(0)])],
    ['a third integer', Buffer.from('3009020105020107020101', 'hex')],
    ['a length of several bytes', Buffer.from('308106020105020107', 'hex')],
    ['an indefinite length', Buffer.from('30800201050201070000', 'hex')],
    ['an empty integer', Buffer.from('300502000201070000'.slice(0, 14), 'hex')],
    ['R of zero', Buffer.from('3006020100020107', 'hex')],
    ['S of zero', Buffer.from('3006020105020100', 'hex')],
    ['a negative integer', Buffer.from('3006020185020107', 'hex')],
    ['a needless leading zero', Buffer.from('300702020005020107', 'hex')],
    ['a single integer', Buffer.from('3003020105', 'hex')],
    ['an integer of 33 bytes', derSignature(1n << 256n, 1n)],
  ])('refuses %s', (_name, der) => {
    expect(() => ecdsaSignatureFromDer(der, 'ES256')).toThrow(EcdsaSignatureError);
  });

  it('refuses or converts any bytes, and nothing else happens', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), fc.constantFrom(...algs), (der, alg) => {
        try {
          expect(ecdsaSignatureFromDer(der, alg)).toHaveLength(2 * widths[alg]);
        } catch (error) {
          expect(error).toBeInstanceOf(EcdsaSignatureError);
        }
      }),
    );
  });
});
