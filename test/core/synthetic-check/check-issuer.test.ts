import { describe, expect, it } from 'vitest';
import { syntheticAuthority, syntheticClientId } from '../../../contract/synthetic-check.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { verifyByDiscovery } from '../../../core/synthetic-check/run-synthetic-check.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';

const issuer = 'https://auth.example.com';
const settings = { issuer, regionId: 'slc', accessTokenType: 'at+jwt' } as const;
const now = 1_800_000_000;
const clientId = syntheticClientId('slc');
const key = createTestKey('ES256');
const anotherRegionsKey = createTestKey('ES256');

const discovery = `${issuer}/.well-known/openid-configuration`;
const jwksUri = `${issuer}/.well-known/jwks.json`;
const metadata = { issuer, jwks_uri: jwksUri };
const jwks = { keys: [anotherRegionsKey.jwk, key.jwk] };

const token = signToken(key, {
  iss: issuer,
  sub: clientId,
  client_id: clientId,
  aud: syntheticAuthority.audiences[0],
  iat: now,
  exp: now + syntheticAuthority.tokenLifetime,
  jti: 'j',
  scope: 'synthetic-check',
});

/** Serves documents by their addresses. An address without one does not answer. */
function run(documents: Readonly<Record<string, unknown>>, presented: string | undefined = token) {
  const fetched: string[] = [];
  const fetchDocument = async (url: string) => {
    fetched.push(url);
    if (url in documents) return documents[url];
    throw new UnavailableError(`${url}: it does not answer`);
  };
  return { fetched, result: verifyByDiscovery(presented, { fetchDocument }, settings, now) };
}

describe('the check of the issuer', () => {
  it('finds the keys by the name of the issuer, and verifies the token with them', async () => {
    const { fetched, result } = run({ [discovery]: metadata, [jwksUri]: jwks });
    await result;
    expect(fetched).toEqual([discovery, jwksUri]);
  });

  it('also looks at the documents if the region issued no token', async () => {
    const good = verifyByDiscovery(
      undefined,
      { fetchDocument: async (url) => (url === discovery ? metadata : jwks) },
      settings,
      now,
    );
    await expect(good).resolves.toBeUndefined();
    const lost = verifyByDiscovery(
      undefined,
      { fetchDocument: () => Promise.reject(new UnavailableError('no address')) },
      settings,
      now,
    );
    await expect(lost).rejects.toMatchObject({ step: 'issuer' });
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['a name that does not answer', {}, `UnavailableError: ${discovery}: it does not answer`],
    [
      'a JWKS that does not answer',
      { [discovery]: metadata },
      `UnavailableError: ${jwksUri}: it does not answer`,
    ],
    ['another document', { [discovery]: {} }, 'the discovery document is not of the issuer'],
    [
      'the document of another issuer',
      { [discovery]: { ...metadata, issuer: `${issuer}/` } },
      'the discovery document is not of the issuer',
    ],
    [
      'no key set',
      { [discovery]: metadata, [jwksUri]: { keys: 'none' } },
      'the JWKS of the issuer is not a key set',
    ],
    [
      "a region that does not know this region's key",
      { [discovery]: metadata, [jwksUri]: { keys: [anotherRegionsKey.jwk] } },
      'with the keys of the issuer, the token does not verify: no applicable key found in the JSON Web Key Set',
    ],
  ])('fails with %s', async (_, documents, message) => {
    await expect(run(documents).result).rejects.toMatchObject({ step: 'issuer', message });
  });
});
