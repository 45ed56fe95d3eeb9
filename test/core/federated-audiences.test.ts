import { describe, expect, it } from 'vitest';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import type { Client } from '../../core/client/client.ts';
import { deriveProviderClientId } from '../../core/client/provider-client-id.ts';
import { WorkloadAuthentication } from '../../core/federated/authenticate-workload.ts';
import type { IdentityProvider } from '../../core/identity-provider/identity-provider.ts';
import type { TokenValues } from '../../core/token/token-values.ts';
import { createTestKey, signToken } from '../../lab/support/test-issuer.ts';
import { createTestKeys } from '../../lab/support/verifier-world.ts';
import { createTestManagement, testConfig } from '../support/management.ts';
import { createClient, updateClient } from '../support/operations.ts';

const issuer = 'https://auth.example.com';
const tokenEndpoint = `${issuer}/api/v1/oauth/token`;
const regional = 'https://slc.auth.example.com/api/v1/oauth/token';
const api = 'https://api.example.com';
const agents = 'urn:example:agents';
const config = {
  ...testConfig,
  federatedClients: { audience: agents, maxAge: 3600, ownProviders: false },
};
const input = { name: 'Billing', serviceTrunkGroup: 'tg-1001', scopes: ['messaging:view'] };
const reserved = [issuer, tokenEndpoint, regional, agents];

describe('what assertions name as their audience', () => {
  it.each(reserved)('is no audience of a new client, or of one that changes: %s', async (taken) => {
    const { context } = createTestManagement({ config });
    const refused = `audience: received ${JSON.stringify(taken)}; allowed: the name of an API: assertions of workloads name this service so`;
    const audiences = [api, taken];
    await expect(createClient(context, { ...input, audiences })).rejects.toThrow(refused);
    const { client } = await createClient(context, { ...input, audiences: [api] });
    await expect(updateClient(context, client.clientId, { audiences })).rejects.toThrow(refused);
  });

  it('stays one of a client that has it, and is allowed while no assertion is accepted', async () => {
    const test = createTestManagement();
    const { client } = await createClient(test.context, { ...input, audiences: [issuer] });
    const after = { ...test.context, config };
    const audiences = [issuer, api];
    const updated = await updateClient(after, client.clientId, { audiences });
    expect(updated.audiences).toEqual(audiences);
  });

  it.each([
    [issuer, tokenEndpoint],
    [tokenEndpoint, regional],
  ])('is no default audience: %s and %s', (...some) => {
    for (const defaultAudience of some) {
      const { domain, regions, scopes } = testConfig;
      const given = { domain, regions, scopes, defaultAudience };
      expect(() => parseDeploymentConfig({ ...given, federatedClients: {} })).toThrow(
        `defaultAudience: received "${defaultAudience}", which federatedClients takes for assertions`,
      );
      expect(() => parseDeploymentConfig(given)).not.toThrow();
    }
  });

  it.each<[string, readonly string[], readonly string[] | undefined]>([
    ['no audience', [], []],
    ['one of an API', [api], [api]],
    ['both', [api, issuer, regional], [api]],
    ['only those of assertions', [tokenEndpoint, agents], undefined],
  ])('is in no token of a client that has %s', async (_, audiences, expected) => {
    const provider: IdentityProvider = {
      issuer: 'https://idp.example.net',
      registrationId: 'idp_1',
      discoveryUrl: 'https://idp.example.net/.well-known/openid-configuration',
      jwksUri: 'https://idp.example.net/keys',
      allowedAlgorithms: ['ES256'],
      registeredAt: 1,
    };
    const key = createTestKey('ES256');
    const now = 1_800_000_000;
    const { issuer: iss, registrationId } = provider;
    const client: Client = {
      ...input,
      clientId: deriveProviderClientId(iss, 'dialer'),
      audiences,
      tokenLifetime: 900,
      secrets: [],
      provider: { issuer: iss, registrationId, externalClientId: 'dialer' },
      version: 1,
      createdAt: 1,
      updatedAt: 1,
    };
    const workloads = new WorkloadAuthentication(
      {
        clients: { findClient: async (id) => (id === client.clientId ? client : undefined) },
        identityProviders: { findIdentityProvider: async () => provider },
        jwks: createTestKeys({ now }, async () => ({ keys: [key.jwk] })),
      },
      {
        issuer,
        tokenEndpoints: [tokenEndpoint, regional],
        audience: agents,
        maxAge: 3600,
        ownProviders: false,
      },
    );
    const claims = { iss, sub: 'dialer', aud: issuer, iat: now, exp: now + 60 };
    const assertion = signToken(key, claims, { typ: 'JWT' });
    const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
    const request = {
      contentTypes: ['application/x-www-form-urlencoded'],
      authorizations: [],
      queryNames: [],
      body: Buffer.from(String(new URLSearchParams(form))),
    };
    const values: TokenValues = { now, random: new Uint8Array(16), source: '192.0.2.1', log: {} };
    const decided = workloads.authenticate(request, values);
    if (expected !== undefined) return expect((await decided).client.audiences).toEqual(expected);
    return expect(decided).rejects.toMatchObject({
      code: 'invalid_grant',
      description: 'the assertion is not accepted',
    });
  });
});
