import fc from 'fast-check';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { describe, expect, it } from 'vitest';
import { regionIds } from '../../../contract/regions.ts';
import { algs } from '../../../contract/signing-algorithms.ts';
import { signingKeyStates } from '../../../contract/tables.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { buildJwks } from '../../../core/jwks/jwks.ts';
import { makeSigningKey } from '../../../lab/support/signing-keys.ts';

const now = 10_000;
const keys = algs.map(
  (alg, index) => makeSigningKey(alg, { regionId: regionIds[index % 3] ?? 'slc' }).key,
);

describe('the JWKS', () => {
  it('has the published keys of every region, by kid, in a form that jose takes', () => {
    const jwks = buildJwks(keys, now);
    expect(jwks.keys.map(({ kid }) => kid)).toEqual(keys.map(({ kid }) => kid).sort());
    expect(() => createLocalJWKSet(jwks as unknown as JSONWebKeySet)).not.toThrow();
    for (const jwk of jwks.keys) {
      expect(jwk).toEqual(keys.find(({ kid }) => kid === jwk.kid)?.publicJwk);
      expect(jwk).toMatchObject({ use: 'sig', alg: expect.any(String), kty: expect.any(String) });
    }
  });

  it('has no private or symmetric member, even if the record has one', () => {
    const leaky = keys.map((key) => ({
      ...key,
      publicJwk: {
        ...key.publicJwk,
        d: 'x',
        p: 'x',
        q: 'x',
        dp: 'x',
        dq: 'x',
        qi: 'x',
        oth: [],
        k: 'x',
        priv: 'x',
      },
    }));
    expect(buildJwks(leaky as typeof keys, now)).toEqual(buildJwks(keys, now));
  });

  it('has RSA keys of 2048 bits and coordinates of full width', () => {
    const bytes = (value = '') => Buffer.from(value, 'base64url').length;
    for (const jwk of buildJwks(keys, now).keys) {
      if (jwk.kty === 'RSA') {
        expect({ bytes: bytes(jwk.n), e: jwk.e }).toEqual({ bytes: 256, e: 'AQAB' });
        expect(Buffer.from(jwk.n, 'base64url')[0]).not.toBe(0);
      }
      if (jwk.kty === 'EC') {
        const width = jwk.crv === 'P-256' ? 32 : 48;
        expect([bytes(jwk.x), bytes(jwk.y)]).toEqual([width, width]);
      }
    }
  });

  it('has each kid once, though a record be there twice', () => {
    expect(buildJwks([...keys, ...keys], now)).toEqual(buildJwks(keys, now));
  });

  it('drops a key at its time, not at the next rotation', () => {
    const [first, second] = keys as [(typeof keys)[0], (typeof keys)[0]];
    const old = { ...first, state: 'previous' as const, withdrawAt: now };
    const kids = (time: number) => buildJwks([old, second], time).keys.map(({ kid }) => kid);
    expect(kids(now - 1)).toContain(old.kid);
    expect(kids(now)).not.toContain(old.kid);
  });

  it('is the same bytes for any order of the records, and never empty', () => {
    const record = fc.record({
      key: fc.constantFrom(...keys),
      state: fc.constantFrom(...signingKeyStates),
      withdrawAt: fc.option(fc.integer({ min: 9_000, max: 11_000 }), { nil: undefined }),
    });
    const records = fc.uniqueArray(record, { selector: ({ key }) => key.kid });
    fc.assert(
      fc.property(records, (parts) => {
        const all = parts.map(({ key, state, withdrawAt }) => ({ ...key, state, withdrawAt }));
        const render = (list: typeof all) => {
          try {
            return JSON.stringify(buildJwks(list, now));
          } catch (error) {
            expect(error).toBeInstanceOf(UnavailableError);
            return undefined;
          }
        };
        const body = render(all);
        expect(render(all.toReversed())).toBe(body);
        expect(body).not.toBe('{"keys":[]}');
      }),
    );
  });
});
