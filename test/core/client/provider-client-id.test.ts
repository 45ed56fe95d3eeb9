import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveProviderClientId } from '../../../core/client/provider-client-id.ts';
import { isId } from '../../../core/credential/credential-value.ts';

const issuer = fc.webUrl({ withQueryParameters: false });
const externalClientId = fc.string({ minLength: 1, maxLength: 100, unit: 'grapheme' });

describe('deriveProviderClientId', () => {
  it('stays the same from release to release: stored clients are found by it', () => {
    expect(deriveProviderClientId('https://idp.example.com', 'billing')).toBe(
      'client_2kAtGMXOwhfm4GG2xzmrn9',
    );
  });

  it('has the form of a generated client id', () => {
    fc.assert(
      fc.property(issuer, externalClientId, (iss, external) => {
        expect(isId('client', deriveProviderClientId(iss, external))).toBe(true);
      }),
    );
  });

  it('is another for another pair, wherever the border between the two lies', () => {
    const pair = fc.tuple(issuer, externalClientId);
    fc.assert(
      fc.property(pair, pair, (a, b) => {
        fc.pre(a[0] !== b[0] || a[1] !== b[1]);
        expect(deriveProviderClientId(...a)).not.toBe(deriveProviderClientId(...b));
      }),
    );
    expect(deriveProviderClientId('https://idp.example.com', '/a')).not.toBe(
      deriveProviderClientId('https://idp.example.com/', 'a'),
    );
  });

  it('compares issuers exactly', () => {
    expect(deriveProviderClientId('https://idp.example.com', 'a')).not.toBe(
      deriveProviderClientId('https://IDP.example.com', 'a'),
    );
  });

  it('refuses an issuer that holds the separator', () => {
    expect(() => deriveProviderClientId('https://idp.example.com\na', 'b')).toThrow(RangeError);
  });
});
