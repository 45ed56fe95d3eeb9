import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { withGivenKeys } from '../../../../adapters/https/fetch-key-set.ts';
import { maxGivenKeys } from '../../../../contract/bounds.ts';
import { providerJwksSource } from '../../../../core/verifier/provider-token.ts';
import { createTestManagement, testConfig } from '../../../support/management.ts';
import { findProvider, listProviders, registerProvider } from '../../../support/operations.ts';

const issuer = 'https://kubernetes.default.svc.cluster.local';
const jwkOf = (kid: string, more: object = {}) => ({
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' }),
  kid,
  alg: 'RS256',
  ...more,
});
const [a, b] = [jwkOf('a'), jwkOf('b')];
const setOf = (...keys: object[]) => JSON.stringify({ keys });
const jwks = setOf(a);

function create(config: object = { providerKeyFiles: true }) {
  const test = createTestManagement();
  const context = { ...test.context, config: { ...testConfig, ...config } };
  const read = withGivenKeys(async () => {
    throw new Error('a provider is fetched');
  }, context.identityProviders);
  return { ...test, context, read };
}

describe('a provider whose keys are given', () => {
  it('is registered without a fetch, and read as fetched keys are', async () => {
    const { context, read, audit } = create();
    const { provider, keySet } = await registerProvider(context, issuer, { jwks });
    expect(keySet.keys.map(({ kid }) => kid)).toEqual(['a']);
    expect(provider).toMatchObject({
      issuer,
      givenKeys: { version: 1 },
      allowedAlgorithms: ['RS256'],
    });
    expect(await read(providerJwksSource(provider))).toEqual(JSON.parse(jwks));
    expect(await listProviders(context)).toEqual([provider]);
    expect(audit.map(({ action }) => action)).toContain('identity_provider.register');
  });

  it.each([
    'https://vault.internal:8200/v1/identity/oidc',
    'https://10.0.0.1',
    'https://localhost:1',
  ])('may be %s, which nothing connects to', async (inside) => {
    const { context } = create();
    const { provider } = await registerProvider(context, inside, { jwks });
    expect(provider.issuer).toBe(inside);
  });

  it('gets other keys, while its registration stays', async () => {
    const { context, read, now, audit } = create();
    const { provider } = await registerProvider(context, issuer, { jwks });
    const options = { jwks: setOf(b), replacesVersion: 1 };
    const replaced = await registerProvider(context, issuer, options);
    expect(replaced.provider).toEqual({ ...provider, givenKeys: { version: 2, updatedAt: now } });
    expect(await findProvider(context, issuer)).toEqual(replaced.provider);
    expect(await read(providerJwksSource(provider))).toEqual({ keys: [b] });
    expect(audit.at(-1)).toMatchObject({
      action: 'identity_provider.replace_keys',
      subject: issuer,
    });
    await expect(registerProvider(context, issuer, options)).rejects.toThrow('it is now 2');
  });

  it('has no keys of another registration of its issuer', async () => {
    const { context, read } = create();
    const { provider } = await registerProvider(context, issuer, { jwks });
    const source = { ...providerJwksSource(provider), registrationId: 'idp_other' };
    await expect(read(source)).rejects.toThrow(
      `no keys were given for this registration of ${issuer}`,
    );
    await expect(
      withGivenKeys(async () => ({}), undefined)(providerJwksSource(provider)),
    ).rejects.toThrow('no keys were given');
  });

  const secret = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
  it.each<[string, string, object, string]>([
    ['without the switch', issuer, { config: {} }, 'its config has no providerKeyFiles'],
    ['of a caller with a reach', issuer, { reach: ['tg-1'] }, 'concerns every service trunk group'],
    ['over http', 'http://idp.example.net', {}, 'an absolute https URL in plain ASCII'],
    ['with a fragment', `${issuer}#keys`, {}, 'a URL without fragment'],
    ['with a query', `${issuer}/?a=1`, {}, 'without query'],
    ['with a person', 'https://a:b@idp.example.net', {}, 'without user name and password'],
    ['in another form', 'https://IDP.example.net', {}, 'canonical form'],
    ['that is this service', 'https://auth.example.com', {}, 'is this service itself'],
    [
      'that is a part of this service',
      'https://slc.auth.example.com/x',
      {},
      'is this service itself',
    ],
    ['without JSON', issuer, { jwks: 'keys' }, 'it is not a JWK set'],
    ['with a list', issuer, { jwks: '[]' }, 'it is not a JWK set'],
    ['with null', issuer, { jwks: 'null' }, 'it is not a JWK set'],
    ['with a single key', issuer, { jwks: JSON.stringify(a) }, 'it is not a JWK set'],
    [
      'with two lists of keys',
      issuer,
      { jwks: `{"keys":[],"keys":[${JSON.stringify(a)}]}` },
      'not a JWK set',
    ],
    ['with no keys', issuer, { jwks: setOf() }, 'it has no key that verifies signatures'],
    [
      'with a private key',
      issuer,
      { jwks: setOf({ ...secret.export({ format: 'jwk' }), kid: 'p' }) },
      'the secret member d',
    ],
    [
      'with a private key after a good one',
      issuer,
      { jwks: setOf(a, { ...b, d: 'AA' }) },
      'the secret member d',
    ],
    [
      'with a shared secret',
      issuer,
      { jwks: setOf({ kty: 'oct', kid: 's', k: 'AA' }) },
      'the secret member k',
    ],
    [
      'with a symmetric key',
      issuer,
      { jwks: setOf(a, { kty: 'oct', kid: 's' }) },
      'it is a symmetric key',
    ],
    [
      'with a weak key',
      issuer,
      { jwks: setOf({ ...weak.export({ format: 'jwk' }), kid: 'w', alg: 'RS256' }) },
      'its modulus has 1024 bits',
    ],
    [
      'with alg none',
      issuer,
      { jwks: setOf({ ...a, alg: 'none' }) },
      'its alg is not one that is supported',
    ],
    [
      'with HS256 for a public key',
      issuer,
      { jwks: setOf({ ...a, alg: 'HS256' }) },
      'its alg is not one',
    ],
    ['with keys to encrypt', issuer, { jwks: setOf({ ...a, use: 'enc' }) }, 'it encrypts'],
    ['without kid', issuer, { jwks: setOf({ ...a, kid: undefined }) }, 'it has no kid'],
    [
      'with two keys of one kid',
      issuer,
      { jwks: setOf(a, { ...b, kid: 'a' }) },
      'another key has the same kid',
    ],
    ['without alg', issuer, { jwks: setOf({ ...a, alg: undefined }) }, 'it has no alg'],
    [
      'with keys of another algorithm',
      issuer,
      { jwks, algorithms: ['ES256'] },
      'is not one that the provider says',
    ],
    [
      'with an unknown algorithm',
      issuer,
      { jwks, algorithms: ['HS256'] },
      'algorithms: received "HS256"',
    ],
    [
      'with more than a record holds',
      issuer,
      { jwks: ' '.repeat(maxGivenKeys + 1) },
      'at most 65,536 characters',
    ],
    ['to replace what is not registered', issuer, { replacesVersion: 1 }, 'there is no provider'],
  ])(
    'is refused %s',
    async (_, url, { config, reach, ...options }: { config?: object; reach?: string[] }, text) => {
      const { context, audit } = create(config ?? { providerKeyFiles: true });
      const limited = reach === undefined ? context : { ...context, trunkGroups: reach };
      await expect(registerProvider(limited, url, { jwks, ...options })).rejects.toThrow(text);
      expect(audit).toEqual([]);
    },
  );

  it('is not what is fetched: its keys are not replaced, and neither are unsound keys given', async () => {
    const { context, documents } = create();
    const fetched = 'https://idp.example.net';
    const url = `${fetched}/.well-known/openid-configuration`;
    documents.set(url, { issuer: fetched, jwks_uri: `${fetched}/keys` });
    documents.set(`${fetched}/keys`, { keys: [a] });
    await registerProvider(context, url);
    const replace = { jwks: setOf(b), replacesVersion: 0 };
    await expect(registerProvider(context, fetched, replace)).rejects.toThrow('are fetched from');
    await registerProvider(context, issuer, { jwks });
    await expect(registerProvider(context, issuer, { jwks })).rejects.toThrow('is registered');
    for (const [keys, text] of [
      [setOf(b, { ...a, d: 'AA' }), 'the secret member d'],
      [setOf({ ...b, alg: 'PS256' }), 'is not one that the provider says'],
      ['{}', 'it is not a JWK set'],
    ] as const) {
      const unsound = { jwks: keys, replacesVersion: 1 };
      await expect(registerProvider(context, issuer, unsound)).rejects.toThrow(text);
    }
    expect((await findProvider(context, issuer)).givenKeys?.version).toBe(1);
  });
});
