import { describe, expect, it } from 'vitest';
import { isScopeToken } from '../../../contract/scopes.ts';
import { algs } from '../../../contract/signing-algorithms.ts';
import { buildMetadata } from '../../../core/discovery/metadata.ts';

const settings = {
  issuer: 'https://auth.example.com',
  regionalTokenEndpoints: {
    pit: 'https://pit.auth.example.com/api/v1/oauth/token',
    slc: 'https://slc.auth.example.com/api/v1/oauth/token',
  },
  signingAlgorithms: ['RS256', 'ES256'],
  scopesSupported: ['messaging:view', 'messaging:manage'],
} as const;

describe('metadata', () => {
  it('has these members and no others', () => {
    expect(buildMetadata(settings)).toEqual({
      issuer: 'https://auth.example.com',
      token_endpoint: 'https://auth.example.com/api/v1/oauth/token',
      regional_token_endpoints: {
        slc: 'https://slc.auth.example.com/api/v1/oauth/token',
        pit: 'https://pit.auth.example.com/api/v1/oauth/token',
      },
      jwks_uri: 'https://auth.example.com/.well-known/jwks.json',
      scopes_supported: ['messaging:view', 'messaging:manage'],
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      response_types_supported: ['none'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    });
  });

  it('has an authorization endpoint only if one is wanted, and is otherwise the same', () => {
    const wanted = buildMetadata({ ...settings, authorizationEndpoint: true });
    const {
      authorization_endpoint: endpoint,
      code_challenge_methods_supported: methods,
      ...rest
    } = wanted;
    expect(endpoint).toBe('https://auth.example.com/api/v1/oauth/authorize');
    expect(methods).toEqual(['S256']);
    const usual = JSON.stringify(buildMetadata(settings));
    expect(JSON.stringify(rest)).toBe(usual);
    expect(JSON.stringify(buildMetadata({ ...settings, authorizationEndpoint: false }))).toBe(
      usual,
    );
  });

  it('says that clients have keys, and that they must, only if so', () => {
    const known = {
      token_endpoint_auth_signing_alg_values_supported: ['ES256', 'Ed25519', 'EdDSA'],
    };
    const clientKeys = ['ES256', 'Ed25519'] as const;
    expect(buildMetadata({ ...settings, clientKeys })).toEqual({
      ...buildMetadata(settings),
      ...known,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt'],
    });
    expect(buildMetadata({ ...settings, clientKeys, keysOnly: true })).toEqual({
      ...buildMetadata(settings),
      ...known,
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
    });
  });

  it('names a secret in the body after HTTP Basic, only if it is accepted', () => {
    const clientKeys = ['ES256'] as const;
    for (const more of [{}, { clientKeys }]) {
      const { token_endpoint_auth_methods_supported: usual, ...rest } = buildMetadata({
        ...settings,
        ...more,
      });
      expect(buildMetadata({ ...settings, ...more, clientSecretPost: true })).toEqual({
        ...rest,
        token_endpoint_auth_methods_supported: usual.toSpliced(1, 0, 'client_secret_post'),
      });
    }
  });

  it('says what proofs are signed with, only if tokens can be bound', () => {
    expect(buildMetadata({ ...settings, proofs: ['ES256'] })).toEqual({
      ...buildMetadata(settings),
      dpop_signing_alg_values_supported: ['ES256'],
    });
  });

  it.each([undefined, []])('leaves out a list that is empty: %j', (scopesSupported) => {
    const metadata = buildMetadata({ ...settings, scopesSupported });
    expect(metadata).not.toHaveProperty('scopes_supported');
    expect(
      Object.values(metadata).filter((value) => Array.isArray(value) && value.length === 0),
    ).toEqual([]);
  });

  it('names algorithms that tokens may have and scopes that requests may have', () => {
    const metadata = buildMetadata({ ...settings, signingAlgorithms: algs });
    expect(metadata.id_token_signing_alg_values_supported).not.toContain('none');
    expect(metadata.scopes_supported?.every(isScopeToken)).toBe(true);
  });
});
