import { generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { describe, expect, it } from 'vitest';
import { toClientItem } from '../../../adapters/dynamodb/items/client-item.ts';
import { maxKeysPerClient, maxRsaKeysPerClient } from '../../../contract/bounds.ts';
import type { ClientKeyAlg } from '../../../contract/proof-algorithms.ts';
import { clientKeyOf, keyThumbprint, readClientKey } from '../../../core/client/client-key.ts';
import { formatId } from '../../../core/credential/credential-value.ts';
import { makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';

const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const rsa = (modulusLength: number, publicExponent = 65_537) =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent });
const pairs = {
  'P-256': ec('P-256'),
  'P-384': ec('P-384'),
  Ed25519: generateKeyPairSync('ed25519'),
  RSA: rsa(2048),
};
type Pair = (typeof pairs)[keyof typeof pairs];

const jwkOf = ({ publicKey }: Pair) => publicKey.export({ format: 'jwk' });
const pemOf = ({ publicKey }: Pair) => publicKey.export({ format: 'pem', type: 'spki' }).toString();

const usual = [
  ['P-256', 'ES256'],
  ['P-384', 'ES384'],
  ['Ed25519', 'Ed25519'],
  ['RSA', 'PS256'],
] as const;

describe('a public key', () => {
  it.each(usual)('of %s is read as PEM and as JWK, for %s', async (type, alg) => {
    const pair = pairs[type];
    const jwk = jwkOf(pair);
    for (const text of [pemOf(pair), `\n${pemOf(pair)}\n`, JSON.stringify({ ...jwk, kid: 'k' })]) {
      const key = readClientKey(text);
      expect(key.alg).toBe(alg);
      expect(keyThumbprint(key)).toBe(await calculateJwkThumbprint(jwk));
    }
  });

  it.each([
    [{ ...jwkOf(pairs.RSA), alg: 'RS256' }, undefined, 'RS256'],
    [jwkOf(pairs.RSA), 'RS384', 'RS384'],
    [{ ...jwkOf(pairs.Ed25519), alg: 'EdDSA' }, undefined, 'Ed25519'],
    [{ ...jwkOf(pairs.Ed25519), alg: 'EdDSA' }, 'Ed25519', 'Ed25519'],
  ] as const)('has the algorithm of its JWK, or the one given: %#', (jwk, alg, expected) => {
    expect(readClientKey(JSON.stringify(jwk), alg).alg).toBe(expected);
  });

  const jwk = jwkOf(pairs['P-256']);
  it.each<readonly [name: string, text: string, alg: ClientKeyAlg | undefined, message: string]>([
    ['another algorithm', pemOf(pairs['P-256']), 'ES384', 'not one for ES384'],
    ['two algorithms', JSON.stringify({ ...jwk, alg: 'ES256' }), 'ES384', 'not one for ES384'],
    ['an unknown algorithm', JSON.stringify({ ...jwk, alg: 'ES256K' }), undefined, 'ES256, ES384'],
    ['a weak modulus', pemOf(rsa(1024)), undefined, '2048 to 4096 bits'],
    ['a long modulus', pemOf(rsa(4104)), undefined, '2048 to 4096 bits'],
    ['exponent 3', pemOf(rsa(2048, 3)), undefined, '2048 to 4096 bits'],
    ['another curve', pemOf(ec('P-521')), undefined, 'not one for ES256, ES384'],
    [
      'a point off its curve',
      JSON.stringify({ ...jwk, x: jwk.y }),
      undefined,
      'no point|not a point',
    ],
    ['a symmetric key', '{"kty":"oct","k":"AAAA"}', undefined, 'type'],
    ...Object.getOwnPropertyNames(Object.prototype).map(
      (kty) => [`the type ${kty}`, JSON.stringify({ kty }), undefined, 'type'] as const,
    ),
    ['a set of keys', JSON.stringify({ keys: [jwk] }), undefined, 'type'],
    [
      'a certificate',
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
      undefined,
      'no JWK',
    ],
    ['half a PEM', pemOf(pairs.RSA).slice(0, 90), undefined, 'no JWK'],
    ['no key', 'hunter2', undefined, 'no JWK'],
  ])('is refused with %s', (_, text, alg, message) => {
    expect(() => readClientKey(text, alg)).toThrow(new RegExp(message));
  });

  it('is refused if it is private, in each form, with a message that has nothing of it', () => {
    for (const { privateKey } of Object.values(pairs)) {
      const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
      const jwk = JSON.stringify(privateKey.export({ format: 'jwk' }));
      const encrypted = {
        format: 'pem',
        type: 'pkcs8',
        cipher: 'aes-256-cbc',
        passphrase: 'x',
      } as const;
      for (const text of [pem, jwk, privateKey.export(encrypted).toString(), `x\n${pem}`]) {
        expect(() => readClientKey(text)).toThrow(/^the key is private$/);
      }
    }
    const secret = 'hunter2-hunter2';
    for (const text of [secret, `{"kty":"EC","crv":"${secret}","x":"${secret}"}`, `{${secret}`]) {
      expect(() => readClientKey(text)).toThrow(expect.not.stringContaining(secret) as Error);
      try {
        readClientKey(text);
      } catch (error) {
        expect(String((error as Error).stack)).not.toContain(secret);
        expect((error as Error).cause).toBeUndefined();
      }
    }
  });

  it('with an algorithm of a later release is not used, and its client is still read', () => {
    const { publicKey } = readClientKey(pemOf(pairs['P-256']));
    expect(clientKeyOf({ publicKey, alg: 'ML-DSA-44' })).toBeUndefined();
    expect(clientKeyOf(makeSecret(secretValueOf(1)))).toBeUndefined();
  });
});

/** DynamoDB Developer Guide, "Item sizes and formats", November 2026. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.ceil(String(value).length / 2) + 1;
  if (typeof value !== 'object' || value === null) return 1;
  const members = Object.entries(value);
  const names = Array.isArray(value) ? 0 : members.reduce((sum, [name]) => sum + name.length, 0);
  return 3 + names + members.reduce((sum, [, one]) => sum + 1 + sizeOf(one), 0);
}

it('a client with six keys and two secrets is read with one unit of 4 KB', () => {
  const about = (seed: number) => ({
    secretId: formatId('secret', new Uint8Array(16).fill(seed)),
    name: 'n'.repeat(20),
    createdAt: 1_800_000_000,
    expiresAt: 1_900_000_000,
    lastUsedOn: '2027-01-15',
  });
  const large = [
    ...Array.from({ length: maxRsaKeysPerClient }, () => pemOf(rsa(4096))),
    ...Array.from({ length: maxKeysPerClient - maxRsaKeysPerClient }, () => pemOf(ec('P-384'))),
  ];
  const client = makeClient({
    name: 'n'.repeat(20),
    audiences: ['https://api.example.com/voice', 'https://api.example.com/messaging'],
    tokensNotBefore: 1_800_000_000,
    secrets: [
      ...large.map((pem, seed) => ({ ...about(seed), ...readClientKey(pem) })),
      ...[7, 8].map((seed) => ({ ...makeSecret(secretValueOf(seed)), ...about(seed) })),
    ],
  });
  expect(sizeOf(toClientItem(client))).toBeLessThanOrEqual(4096);
});
