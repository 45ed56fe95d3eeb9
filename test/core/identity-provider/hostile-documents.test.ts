import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseSubnet } from '../../../core/api-key/subnet.ts';
import { InputError, RefusedError } from '../../../core/errors.ts';
import { parseDiscoveryDocument } from '../../../core/identity-provider/discovery-document.ts';
import { KeySetError, lintKeySet } from '../../../core/identity-provider/key-lint.ts';
import { parseProviderUrl } from '../../../core/identity-provider/provider-url.ts';

function refusalOf(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Members that documents have, with values that they may or may not. */
function object(names: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.webUrl(),
    fc.constantFrom('https://idp.example', 'RSA', 'EC', 'sig', 'RS256', 'AQAB', '__proto__', ''),
  );
  return fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value, { maxKeys: 10 });
}

it('any discovery document is read or refused', () => {
  const names = ['issuer', 'jwks_uri', 'id_token_signing_alg_values_supported'];
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), object(names)), (document) => {
      const error = refusalOf(() => parseDiscoveryDocument(document));
      if (error === undefined) return;
      expect(error instanceof InputError || error instanceof RefusedError).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

it('any key set is read or refused', () => {
  const names = ['kty', 'kid', 'alg', 'use', 'key_ops', 'n', 'e', 'crv', 'x', 'y', 'd', 'pub'];
  const sets = fc.record({ keys: fc.array(fc.oneof(object(names), fc.jsonValue())) });
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), sets), (document) => {
      const error = refusalOf(() => lintKeySet(document, undefined));
      if (error !== undefined) expect(error).toBeInstanceOf(KeySetError);
    }),
    { numRuns: 1000 },
  );
});

it('any URL is read as it is or refused', () => {
  const text = fc.oneof(
    fc.string(),
    fc.webUrl({ validSchemes: ['https'], withFragments: true, withQueryParameters: true }),
    fc.string().map((rest) => `https://${rest}`),
  );
  fc.assert(
    fc.property(text, (url) => {
      const error = refusalOf(() => parseProviderUrl(url, 'URL'));
      if (error !== undefined) {
        expect(error).toBeInstanceOf(InputError);
        return;
      }
      const parsed = new URL(url);
      expect(parsed.protocol).toBe('https:');
      expect(['', '8443']).toContain(parsed.port);
      expect(parsed.username + parsed.password).toBe('');
    }),
    { numRuns: 1000 },
  );
});

it('any address and netmask are read or refused', () => {
  const text = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.nat({ max: 140 }).map(String));
  fc.assert(
    fc.property(text, text, (address, netmask) => {
      const error = refusalOf(() => parseSubnet(address, netmask));
      if (error !== undefined) expect(error).toBeInstanceOf(InputError);
    }),
    { numRuns: 1000 },
  );
});
