import { constants, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { algs } from '../../../contract/signing-algorithms.ts';
import { publicJwkFromSpki } from '../../../core/signing-key/public-jwk.ts';
import { verifyWithJwk } from '../../../core/signing-key/sign-jws.ts';
import { generateKeyPair, signAs } from '../../../lab/support/key-pairs.ts';

const input = Buffer.from('a.b');

describe('signature verification with the published key', () => {
  it.each(algs)("%s: accepts the key's own signature and no other", (alg) => {
    const own = generateKeyPair(alg);
    const other = generateKeyPair(alg);
    const jwk = publicJwkFromSpki(own.publicKey.export({ type: 'spki', format: 'der' }), alg);
    const signature = signAs(alg, own.privateKey, input);
    expect(verifyWithJwk(jwk, input, signature)).toBe(true);
    expect(verifyWithJwk(jwk, Buffer.from('a.c'), signature)).toBe(false);
    expect(verifyWithJwk(jwk, input, signature.subarray(0, -1))).toBe(false);
    expect(verifyWithJwk(jwk, input, signAs(alg, other.privateKey, input))).toBe(false);
  });

  it('PS256: refuses a salt that is not as long as the digest', () => {
    const { publicKey, privateKey } = generateKeyPair('PS256');
    const jwk = publicJwkFromSpki(publicKey.export({ type: 'spki', format: 'der' }), 'PS256');
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    const signature = sign('sha256', input, { key: privateKey, padding, saltLength: 20 });
    expect(verifyWithJwk(jwk, input, signature)).toBe(false);
  });

  it('ES256: refuses DER', () => {
    const { publicKey, privateKey } = generateKeyPair('ES256');
    const jwk = publicJwkFromSpki(publicKey.export({ type: 'spki', format: 'der' }), 'ES256');
    expect(verifyWithJwk(jwk, input, sign('sha256', input, privateKey))).toBe(false);
  });
});
