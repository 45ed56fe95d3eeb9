import { bareJwk, type Platform } from '../../../lab/support/platforms/platform.ts';

const api = 'https://api.example.com';
const tenant = '72f988bf-0000-4000-8000-2d7cd011db47';
const apiId = '0d6a2c1e-2d4a-4f7c-9a5c-4f8d6f0d7b11';
const appId = '6e74172b-be56-4843-9ff4-e66a39bb12e3';
const personId = '5f1d1c3a-2222-4222-8222-aaaaaaaaaaaa';
const otherId = '11111111-2222-4333-8444-555555555555';

const entra = {
  jwk: (key) => ({
    ...bareJwk(key),
    use: 'sig',
    x5t: 'CN0cC2h',
    x5c: ['MIIC/TCCAeWgAwIBAgIIUd7j/OIahkYw'],
    cloud_instance_name: 'microsoftonline.com',
  }),
  alg: 'RS256',
  typ: 'JWT',
  person: {
    claims: {
      oid: personId,
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      scp: 'calls.view',
    },
    rule: ['sub', otherId],
  },
} as const satisfies Partial<Platform>;

const entraDocument = {
  token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'],
  response_modes_supported: ['query', 'fragment', 'form_post'],
  subject_types_supported: ['pairwise'],
  id_token_signing_alg_values_supported: ['RS256'],
  response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
  scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
  tenant_region_scope: 'WW',
  cloud_instance_name: 'microsoftonline.com',
  cloud_graph_host_name: 'graph.windows.net',
};

/** Identity providers in which applications are registered. */
export const identityProviders: readonly Platform[] = [
  {
    ...entra,
    name: 'Microsoft Entra ID, v2 tokens',
    document: {
      ...entraDocument,
      issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
      jwks_uri: `https://login.microsoftonline.com/${tenant}/discovery/v2.0/keys`,
      token_endpoint: `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`,
    },
    claims: {
      aud: apiId,
      azp: appId,
      azpacr: '1',
      oid: otherId,
      sub: otherId,
      tid: tenant,
      roles: ['calls.view'],
      ver: '2.0',
    },
    choices: {},
    client: {
      externalClientId: appId,
      audiences: [apiId],
      requiredClaims: [{ claim: 'sub', values: [otherId] }],
    },
    refused: [
      ['another application', { azp: otherId }, 'client_unknown'],
      ['another API', { aud: otherId }, 'token_audience_not_allowed'],
      ['an id token of the application', { aud: appId }, 'token_audience_not_allowed'],
    ],
  },
  {
    ...entra,
    name: 'Microsoft Entra ID, v1 tokens',
    discoveryUrl: `https://login.microsoftonline.com/${tenant}/.well-known/openid-configuration`,
    document: {
      ...entraDocument,
      issuer: `https://sts.windows.net/${tenant}/`,
      jwks_uri: 'https://login.microsoftonline.com/common/discovery/keys',
      token_endpoint: `https://login.microsoftonline.com/${tenant}/oauth2/token`,
    },
    claims: {
      aud: `api://${apiId}`,
      appid: appId,
      appidacr: '1',
      idp: `https://sts.windows.net/${tenant}/`,
      oid: otherId,
      sub: otherId,
      tid: tenant,
      ver: '1.0',
    },
    choices: { clientIdClaim: 'appid' },
    client: {
      externalClientId: appId,
      audiences: [`api://${apiId}`],
      requiredClaims: [{ claim: 'sub', values: [otherId] }],
    },
    refused: [
      ['another application', { appid: otherId }, 'client_unknown'],
      ['no appid', { appid: undefined }, 'token_claims_malformed'],
    ],
  },
  {
    name: 'Okta',
    document: {
      issuer: 'https://example.okta.com/oauth2/default',
      jwks_uri: 'https://example.okta.com/oauth2/default/v1/keys',
      token_endpoint: 'https://example.okta.com/oauth2/default/v1/token',
      id_token_signing_alg_values_supported: ['RS256'],
      subject_types_supported: ['public'],
      response_types_supported: ['code', 'id_token', 'code id_token'],
      scopes_supported: ['openid', 'profile', 'email', 'calls'],
      claims_supported: ['ver', 'jti', 'iss', 'aud', 'iat', 'exp', 'cid', 'uid', 'scp', 'sub'],
    },
    jwk: ({ jwk }) => ({ ...jwk }),
    alg: 'RS256',
    typ: undefined,
    claims: {
      ver: 1,
      jti: 'AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE',
      aud: 'api://default',
      cid: '0oabucvyc38HLL1ef0h7',
      scp: ['calls'],
      sub: '0oabucvyc38HLL1ef0h7',
    },
    choices: { clientIdClaim: 'cid' },
    client: { externalClientId: '0oabucvyc38HLL1ef0h7', audiences: ['api://default'] },
    person: {
      claims: { sub: 'jane@example.com', uid: '00u5t60iloOHN9pBi0h7' },
      rule: ['sub', '0oabucvyc38HLL1ef0h7'],
    },
    refused: [
      [
        'a user through another application',
        { cid: '0oaother', sub: '0oabucvyc38HLL1ef0h7' },
        'client_unknown',
      ],
    ],
  },
  {
    name: 'Auth0',
    document: {
      issuer: 'https://example.us.auth0.com/',
      jwks_uri: 'https://example.us.auth0.com/.well-known/jwks.json',
      token_endpoint: 'https://example.us.auth0.com/oauth/token',
      id_token_signing_alg_values_supported: ['HS256', 'RS256', 'PS256'],
      subject_types_supported: ['public'],
      response_types_supported: ['code', 'token', 'id_token'],
    },
    jwk: ({ jwk }) => ({ ...jwk, x5t: 'x', x5c: ['MIIDDTCCAfWgAwIBAgIJ'] }),
    alg: 'RS256',
    typ: 'JWT',
    claims: {
      sub: 'IxVmWYvtmgFMqPxvUZvDDj@clients',
      aud: api,
      azp: 'IxVmWYvtmgFMqPxvUZvDDj',
      gty: 'client-credentials',
    },
    choices: {},
    client: { externalClientId: 'IxVmWYvtmgFMqPxvUZvDDj', audiences: [api] },
    person: {
      claims: { sub: 'auth0|6553da60a54af58e29493993', gty: undefined, scope: 'openid' },
      rule: ['sub', 'IxVmWYvtmgFMqPxvUZvDDj@clients'],
    },
    refused: [['another application', { azp: 'other' }, 'client_unknown']],
  },
  {
    name: 'Keycloak',
    document: {
      issuer: 'https://sso.example.com/realms/acme',
      jwks_uri: 'https://sso.example.com/realms/acme/protocol/openid-connect/certs',
      token_endpoint: 'https://sso.example.com/realms/acme/protocol/openid-connect/token',
      id_token_signing_alg_values_supported: ['PS384', 'RS384', 'EdDSA', 'ES384', 'HS256', 'RS256'],
      subject_types_supported: ['public', 'pairwise'],
      response_types_supported: ['code', 'none', 'id_token'],
    },
    jwk: ({ jwk }) => ({ ...jwk, x5t: 'x', x5c: ['MIIClzCCAX8CBgF5'] }),
    alg: 'RS256',
    typ: 'JWT',
    claims: {
      jti: 'trrtcc:6ffef4e6-d4c6-4b5b-a7a2-2f1f4e8d0e5b',
      aud: 'account',
      sub: '8a2e3d4f-17ce-4fb0-a2cb-5b0f8a3f6b3d',
      typ: 'Bearer',
      azp: 'erp',
      client_id: 'erp',
      preferred_username: 'service-account-erp',
      scope: 'profile email',
    },
    choices: {},
    client: { externalClientId: 'erp', audiences: ['account'] },
    person: {
      claims: { sub: personId, client_id: undefined, preferred_username: 'jane' },
      rule: ['client_id', 'erp'],
    },
    refused: [
      ['another client', { azp: 'crm', client_id: 'crm' }, 'client_unknown'],
      ['an id token', { aud: 'erp', typ: 'ID' }, 'token_audience_not_allowed'],
    ],
  },
  {
    name: 'Amazon Cognito',
    document: {
      issuer: 'https://cognito-idp.us-west-2.amazonaws.com/us-west-2_EXAMPLE1',
      jwks_uri:
        'https://cognito-idp.us-west-2.amazonaws.com/us-west-2_EXAMPLE1/.well-known/jwks.json',
      token_endpoint: 'https://example.auth.us-west-2.amazoncognito.com/oauth2/token',
      id_token_signing_alg_values_supported: ['RS256'],
      subject_types_supported: ['public'],
      response_types_supported: ['code', 'token'],
    },
    jwk: ({ jwk }) => ({ ...jwk }),
    alg: 'RS256',
    typ: undefined,
    claims: {
      sub: '1example23456789',
      token_use: 'access',
      scope: `${api}/calls.view`,
      version: 2,
      client_id: '1example23456789',
    },
    choices: { audienceFrom: 'scope' },
    client: { externalClientId: '1example23456789', audiences: [api] },
    person: { claims: { sub: personId, username: 'jane' }, rule: ['sub', '1example23456789'] },
    refused: [
      ['another app client', { client_id: 'other' }, 'client_unknown'],
      ['scopes of another API', { scope: 'https://b.example/x' }, 'token_audience_not_allowed'],
      ['an id token', { token_use: 'id' }, 'token_claims_malformed'],
    ],
  },
];
