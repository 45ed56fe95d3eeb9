import { compactVerify, importJWK, type JWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { algs } from '../../../contract/signing-algorithms.ts';
import { SigningKeyUnusableError, UnavailableError } from '../../../core/errors.ts';
import {
  type Sign,
  signJws,
  UnverifiableSignatureError,
} from '../../../core/signing-key/sign-jws.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import { makeSigningKey, signWithKeys } from '../../../lab/support/signing-keys.ts';

const payload = { a: 1 };

describe('JWS signing', () => {
  it.each(algs)('%s: jose verifies it with the published key', async (alg) => {
    const own = makeSigningKey(alg);
    const { jws, kid, refusals } = await signJws(
      { typ: 'x+jwt', payload },
      [own.key],
      signWithKeys(own),
    );
    expect(jws).toMatch(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
    const verified = await compactVerify(jws, await importJWK(own.key.publicJwk as JWK, alg));
    expect(verified.protectedHeader).toEqual({ alg, typ: 'x+jwt', kid: own.key.kid });
    expect(JSON.parse(Buffer.from(verified.payload).toString())).toEqual(payload);
    expect({ kid, refusals }).toEqual({ kid: own.key.kid, refusals: [] });
  });

  it.each(algs)('%s: a signature of another key does not leave', async (alg) => {
    const own = makeSigningKey(alg);
    const other = makeSigningKey(alg, { kmsKeyArn: own.key.kmsKeyArn });
    const promise = signJws({ typ: 'x+jwt', payload }, [own.key], signWithKeys(other));
    await expect(promise).rejects.toThrow(UnverifiableSignatureError);
    await expect(promise).rejects.toBeInstanceOf(UnavailableError);
  });

  it('names the key that signed, and those that KMS refused before', async () => {
    const [first, second] = [makeSigningKey('ES256'), makeSigningKey('RS256')];
    const sign: Sign = async (key, input) => {
      if (key === first.key) throw new SigningKeyUnusableError('disabled');
      return signWithKeys(second)(key, input);
    };
    const { jws, kid, refusals } = await signJws(
      { typ: 't', payload },
      [first.key, second.key],
      sign,
    );
    expect(JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString())).toEqual({
      alg: 'RS256',
      typ: 't',
      kid: second.key.kid,
    });
    expect({ kid, refusals }).toEqual({
      kid: second.key.kid,
      refusals: [{ kid: first.key.kid, reason: 'disabled' }],
    });
  });

  it('tries no other key if KMS does not answer', async () => {
    const [first, second] = [makeSigningKey(), makeSigningKey()];
    const tried: string[] = [];
    const sign: Sign = async (key) => {
      tried.push(key.kid);
      throw new UnavailableError('throttled');
    };
    await expect(signJws({ typ: 't', payload }, [first.key, second.key], sign)).rejects.toThrow(
      'throttled',
    );
    expect(tried).toEqual([first.key.kid]);
  });

  it('is unavailable if no key may sign or none can, and says why for each', async () => {
    const [first, second] = [makeSigningKey().key, makeSigningKey().key];
    const reasons = new Map([
      [first.kid, 'could not sign: DisabledException'],
      [second.kid, 'could not sign: AccessDeniedException'],
    ]);
    const causes: Error[] = [];
    const sign: Sign = async ({ kid }) => {
      const cause = new SigningKeyUnusableError(reasons.get(kid));
      causes.push(cause);
      throw cause;
    };
    const text = 'no published key of this region can sign; refused: ';
    const failed = (keys: readonly SigningKey[]) =>
      signJws({ typ: 't', payload }, keys, sign).catch((error: unknown) => error);
    expect(await failed([])).toEqual(new UnavailableError(`${text}none`));
    const error = await failed([first, second]);
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toHaveProperty(
      'message',
      `${text}${[...reasons].map((parts) => parts.join(', ')).join('; ')}`,
    );
    expect(error).toHaveProperty('cause', causes.at(-1));
  });

  it('refuses what KMS could not sign, without asking it', async () => {
    const { key } = makeSigningKey();
    const sign: Sign = async () => {
      throw new Error('asked');
    };
    await expect(
      signJws({ typ: 't', payload: { a: 'x'.repeat(3000) } }, [key], sign),
    ).rejects.toThrow(RangeError);
  });
});
