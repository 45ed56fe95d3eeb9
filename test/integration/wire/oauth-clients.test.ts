import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { describe, expect, it } from 'vitest';
import { useLocalService } from '../lab/local/use-local-service.ts';

const service = useLocalService({ https: true });

const audience = 'https://api.example.com';

describe('oauth4webapi', () => {
  async function discover(algorithm: 'oidc' | 'oauth2'): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(service().issuer);
    const response = await oauth.discoveryRequest(issuer, { algorithm });
    return oauth.processDiscoveryResponse(issuer, response);
  }

  async function grant(
    as: oauth.AuthorizationServer,
    secret: string,
    parameters: Readonly<Record<string, string>> = {},
  ): Promise<oauth.TokenEndpointResponse> {
    const client = { client_id: service().clientId };
    const response = await oauth.clientCredentialsGrantRequest(
      as,
      client,
      oauth.ClientSecretBasic(secret),
      parameters,
    );
    return oauth.processClientCredentialsResponse(as, client, response);
  }

  it.each(['oidc', 'oauth2'] as const)(
    'finds the service by its %s document, gets a token and validates it',
    async (algorithm) => {
      const as = await discover(algorithm);
      const token = await grant(as, service().clientSecret);
      expect(token).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
      const request = new Request(audience, {
        headers: { authorization: `Bearer ${token.access_token}` },
      });
      const claims = await oauth.validateJwtAccessToken(as, request, audience);
      expect(claims).toMatchObject({
        iss: service().issuer,
        sub: service().clientId,
        client_id: service().clientId,
        scope: 'messaging:view messaging:manage',
      });
    },
  );

  it('asks for a narrower scope and a resource', async () => {
    const as = await discover('oauth2');
    const token = await grant(as, service().clientSecret, {
      scope: 'messaging:view',
      resource: audience,
    });
    expect(token.scope).toBe('messaging:view');
  });

  it.each([
    ['a wrong secret', 'wrong', {}, 401, 'invalid_client'],
    ['a scope that it may not have', undefined, { scope: 'calls:view' }, 400, 'invalid_scope'],
    ['a foreign resource', undefined, { resource: 'https://evil.example' }, 400, 'invalid_target'],
  ])('understands the refusal of %s', async (_, secret, parameters, status, error) => {
    const as = await discover('oauth2');
    const refused = grant(as, secret ?? service().clientSecret, parameters);
    await expect(refused).rejects.toThrow(oauth.ResponseBodyError);
    await expect(refused).rejects.toMatchObject({ status, error });
  });
});

describe('openid-client', () => {
  function discover(secret: string): Promise<openid.Configuration> {
    const { issuer, clientId } = service();
    return openid.discovery(new URL(issuer), clientId, secret, openid.ClientSecretBasic(secret));
  }

  it('finds the service by its issuer and gets a token', async () => {
    const configuration = await discover(service().clientSecret);
    expect(configuration.serverMetadata().token_endpoint).toBe(service().tokenUrl);
    const token = await openid.clientCredentialsGrant(configuration, { scope: 'messaging:view' });
    expect(token).toMatchObject({ token_type: 'bearer', scope: 'messaging:view' });
    expect(token.expiresIn()).toBeGreaterThan(3500);
    expect(token.id_token).toBeUndefined();
    expect(token.refresh_token).toBeUndefined();
  });

  it('understands a refusal', async () => {
    const configuration = await discover('wrong');
    await expect(openid.clientCredentialsGrant(configuration)).rejects.toMatchObject({
      error: 'invalid_client',
      status: 401,
    });
  });
});
