import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { MalformedRecordError, UnavailableError } from '../../../core/errors.ts';
import { signToken } from '../../../lab/support/test-issuer.ts';
import {
  apiKeyValue,
  createApiKey,
  createProviderClient,
  issuer,
  now,
  ownClaims,
  ownKey,
  providerClaims,
  providerIssuer,
  providerKey,
  type World,
} from '../../../lab/support/verifier-world.ts';
import { authorize, authorizerEvent, authorizerWorld } from './authorizer-world.ts';

const token = signToken(ownKey, ownClaims);
const methodArn = authorizerEvent({}).methodArn;

describe('the authorizer', () => {
  it('allows the one method, with a context of texts', async () => {
    expect(await authorize({ authorization: `Bearer ${token}` })).toEqual({
      principalId: ownClaims.client_id,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource: methodArn }],
      },
      context: {
        client_id: ownClaims.client_id,
        scope: ownClaims.scope,
        service_trunk_group: 'group-1',
        credential: 'access_token',
        issuer,
        jti: 'jti-1',
      },
    });
  });

  it("allows a provider's client with what was given to it here", async () => {
    const foreign = signToken(providerKey, providerClaims, { typ: 'JWT' });
    expect(await authorize({ authorization: `Bearer ${foreign}` })).toMatchObject({
      principalId: createProviderClient().clientId,
      context: {
        client_id: createProviderClient().clientId,
        scope: 'messaging:view',
        service_trunk_group: 'group-2',
        credential: 'access_token',
        issuer: providerIssuer,
        jti: '',
      },
    });
  });

  it('allows an API key for every scope, with an empty list of them', async () => {
    const authorization = `Bearer ${apiKeyValue}`;
    expect(await authorize({ authorization, httpMethod: 'POST' })).toMatchObject({
      principalId: createApiKey().keyId,
      context: {
        client_id: '',
        scope: '',
        service_trunk_group: 'group-3',
        credential: 'api_key',
        issuer: '',
        jti: '',
      },
    });
  });

  it('allows an API key with scopes for these, names them, and denies it for others', async () => {
    const { world, authorizer } = authorizerWorld();
    const key = createApiKey({ scopes: ['messaging:view'] });
    world.apiKeys.set(key.keyId, key);
    const authorization = `Bearer ${apiKeyValue}`;
    expect(await authorizer(authorizerEvent({ authorization }))).toMatchObject({
      principalId: key.keyId,
      policyDocument: { Statement: [{ Effect: 'Allow' }] },
      context: { scope: 'messaging:view', credential: 'api_key' },
    });
    expect(await authorizer(authorizerEvent({ authorization, httpMethod: 'POST' }))).toMatchObject({
      principalId: key.keyId,
      policyDocument: { Statement: [{ Effect: 'Deny' }] },
      context: { required_scope: 'messaging:manage' },
    });
  });

  it('takes nothing else from a token into the context', async () => {
    const crafted = signToken(ownKey, {
      ...ownClaims,
      principalId: 'admin',
      context: { client_id: 'admin' },
      credential: 'api_key',
      required_scope: 'x',
    });
    const result = await authorize({ authorization: `Bearer ${crafted}` });
    expect(result).toMatchObject({ principalId: ownClaims.client_id });
    expect(Object.keys(result.context ?? {})).toEqual([
      'client_id',
      'scope',
      'service_trunk_group',
      'credential',
      'issuer',
      'jti',
    ]);
  });

  it('denies for want of a scope, and says which is required', async () => {
    const poor = signToken(ownKey, { ...ownClaims, scope: 'messaging:view' });
    expect(await authorize({ authorization: `Bearer ${poor}`, httpMethod: 'POST' })).toEqual({
      principalId: ownClaims.client_id,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Deny',
            Action: 'execute-api:Invoke',
            Resource: authorizerEvent({ httpMethod: 'POST' }).methodArn,
          },
        ],
      },
      context: { required_scope: 'messaging:manage' },
    });
  });

  it('takes ANY for a method without an entry of its own', async () => {
    const authorization = `Bearer ${token}`;
    const options = { authorization, httpMethod: 'DELETE', resourcePath: '/any' };
    const poor = `Bearer ${signToken(ownKey, { ...ownClaims, scope: 'other:x' })}`;
    expect(await authorize(options)).toMatchObject({ principalId: ownClaims.client_id });
    expect(await authorize({ ...options, authorization: poor })).toMatchObject({
      policyDocument: { Statement: [{ Effect: 'Deny' }] },
    });
  });

  it.each(['//open', '/messages/../open', '/%2e%2e/open', '/open;x', '/OPEN', '/open/', '/%6fpen'])(
    'decides by the route that the gateway matched, however the path was written: %s',
    async (path) => {
      const poor = signToken(ownKey, { ...ownClaims, scope: 'other:x' });
      const event = authorizerEvent({ authorization: `Bearer ${poor}` });
      const methodArn = event.methodArn.replace('/messages', path);
      const { authorizer } = authorizerWorld();
      expect(await authorizer({ ...event, path, methodArn })).toMatchObject({
        policyDocument: { Statement: [{ Effect: 'Deny', Resource: methodArn }] },
      });
    },
  );

  it('requires a credential if a method requires no scope', async () => {
    const poor = `Bearer ${signToken(ownKey, { ...ownClaims, scope: undefined })}`;
    const resourcePath = '/open';
    expect(await authorize({ authorization: poor, resourcePath })).toMatchObject({
      principalId: ownClaims.client_id,
    });
    await expect(authorize({ authorization: [], resourcePath })).rejects.toThrow(/^Unauthorized$/);
  });

  const unauthorized: readonly [string, string | readonly string[]][] = [
    ['no header', []],
    ['an empty header', ''],
    ['another scheme', 'Basic eDp5'],
    ['a malformed header', 'Bearer'],
    ['a malformed token', 'Bearer x.y.z'],
    [
      'an expired token',
      `Bearer ${signToken(ownKey, { ...ownClaims, iat: now - 99, exp: now - 30 })}`,
    ],
    ['a wrong signature', `Bearer ${token.slice(0, -8)}AAAAAAAA`],
    [
      'an unknown issuer',
      `Bearer ${signToken(ownKey, { ...ownClaims, iss: 'https://x.example' })}`,
    ],
    ['an unknown API key', `Bearer ${apiKeyValue.slice(0, -1)}0`],
    ['two headers', [`Bearer ${token}`, `Bearer ${token}`]],
  ];

  it.each(unauthorized)('throws exactly Unauthorized for %s', async (_, authorization) => {
    const error = await authorize({ authorization }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ message: 'Unauthorized' });
    expect(error).not.toHaveProperty('cause');
  });

  it('logs and counts a token that it accepts without a look-up', async () => {
    const down = new UnavailableError('could not read an item of clients');
    const clients = { findClient: () => Promise.reject(down) };
    const { authorizer, reports } = authorizerWorld({
      ports: { revocation: { clients, onLookupFailure: 'accept' } },
    });
    const event = authorizerEvent({ authorization: `Bearer ${token}` });
    expect(await authorizer(event)).toMatchObject({ principalId: ownClaims.client_id });
    expect(reports).toMatchObject([
      {
        level: 'warn',
        outcome: 'allowed',
        measures: new Map([['AcceptedWithoutLookup', 1]]),
        clientId: ownClaims.client_id,
        fields: { error_message: 'could not read an item of clients' },
      },
    ]);
  });

  it('has no decision on a token without a look-up, if it refuses', async () => {
    const clients = { findClient: () => Promise.reject(new UnavailableError('down')) };
    const { authorizer, reports } = authorizerWorld({
      ports: { revocation: { clients, onLookupFailure: 'refuse' } },
    });
    const event = authorizerEvent({ authorization: `Bearer ${token}` });
    await expect(authorizer(event)).rejects.toThrow('there is no decision');
    expect(reports).toMatchObject([{ outcome: 'temporarily_unavailable' }]);
  });

  it.each(['authorization', 'AUTHORIZATION', 'Authorization'])('reads %s', async (name) => {
    const event = authorizerEvent({ authorization: [] });
    const multiValueHeaders = { [name]: [`Bearer ${token}`] };
    const { authorizer } = authorizerWorld();
    expect(await authorizer({ ...event, multiValueHeaders })).toMatchObject({
      principalId: ownClaims.client_id,
    });
  });

  it('sees two headers that differ in the case of their names', async () => {
    const event = authorizerEvent({ authorization: [] });
    const multiValueHeaders = {
      Authorization: [`Bearer ${token}`],
      authorization: [`Bearer ${token}`],
    };
    const { authorizer } = authorizerWorld();
    await expect(authorizer({ ...event, multiValueHeaders })).rejects.toThrow(/^Unauthorized$/);
  });

  it('ignores a token in the query', async () => {
    const event = {
      ...authorizerEvent({ authorization: [] }),
      queryStringParameters: { access_token: token },
      multiValueQueryStringParameters: { access_token: [token] },
    };
    await expect(authorizerWorld().authorizer(event)).rejects.toThrow(/^Unauthorized$/);
  });
});

describe('the source address', () => {
  const subnets = [{ subnetId: 's', name: 'n', address: '10.0.0.0', prefixLength: 8 }];
  const claimed: readonly [string, readonly string[]][] = [
    ['X-Forwarded-For', ['10.0.0.1']],
    ['x-forwarded-for', ['10.0.0.1, 203.0.113.9']],
    ['X-Forwarded-For', ['10.0.0.1', '10.0.0.1']],
    ['Forwarded', ['for=10.0.0.1']],
    ['X-Real-IP', ['10.0.0.1']],
    ['True-Client-IP', ['10.0.0.1']],
    ['CF-Connecting-IP', ['10.0.0.1']],
    ['X-Client-IP', ['10.0.0.1']],
  ];

  it.each(claimed)('is never taken from %s: %j', async (name, values) => {
    const { authorizer, world } = authorizerWorld();
    world.apiKeys.set(createApiKey().keyId, createApiKey({ subnets }));
    const event = authorizerEvent({ authorization: `Bearer ${apiKeyValue}` });
    const headers = { ...event.multiValueHeaders, [name]: [...values] };
    const single = { ...event.headers, [name]: values[0] };
    const spoofed = { ...event, multiValueHeaders: headers, headers: single };
    await expect(authorizer(spoofed)).rejects.toThrow(/^Unauthorized$/);
  });

  it("is the gateway's own", async () => {
    const { authorizer, world } = authorizerWorld();
    world.apiKeys.set(createApiKey().keyId, createApiKey({ subnets }));
    const event = authorizerEvent({ authorization: `Bearer ${apiKeyValue}`, sourceIp: '10.9.8.7' });
    expect(await authorizer(event)).toMatchObject({ principalId: createApiKey().keyId });
  });
});

describe('nothing that goes wrong gives access', () => {
  const down = new UnavailableError('table-name and arn:aws:dynamodb:x');

  async function fail(error: Error): Promise<never> {
    throw error;
  }

  const failures: readonly [string, Partial<World['ports']>, string][] = [
    ['API keys', { apiKeys: { findApiKey: () => fail(down) } }, `Bearer ${apiKeyValue}`],
    [
      'providers',
      { identityProviders: { findIdentityProvider: () => fail(down) } },
      `Bearer ${signToken(providerKey, providerClaims)}`,
    ],
    [
      'clients',
      { clients: { findClient: () => fail(down) } },
      `Bearer ${signToken(providerKey, providerClaims)}`,
    ],
    [
      'a bug',
      { apiKeys: { findApiKey: () => fail(new TypeError('arn:aws:dynamodb:x')) } },
      `Bearer ${apiKeyValue}`,
    ],
  ];

  it.each(failures)(
    'has no decision when %s fail, and says nothing of it',
    async (_, ports, authorization) => {
      const { authorizer, reports } = authorizerWorld({ ports });
      const error = await authorizer(authorizerEvent({ authorization })).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ message: 'there is no decision on the credential' });
      expect(error).not.toHaveProperty('cause');
      expect(reports).toMatchObject([{ statusCode: 500 }]);
      // Own tokens go on.
      const own = authorizerEvent({ authorization: `Bearer ${token}` });
      expect(await authorizer(own)).toMatchObject({ principalId: ownClaims.client_id });
    },
  );

  it('has no decision while the keys of the service never came', async () => {
    const { authorizer, world } = authorizerWorld();
    world.jwks.set(issuer, new Error('down'));
    const fresh = authorizerWorld({ jwksDown: true });
    await expect(
      fresh.authorizer(authorizerEvent({ authorization: `Bearer ${token}` })),
    ).rejects.toThrow(/^there is no decision/);
    expect(await authorizer(authorizerEvent({ authorization: `Bearer ${token}` }))).toMatchObject({
      principalId: ownClaims.client_id,
    });
  });

  it('refuses what depends on a malformed record, and makes it an error in the log', async () => {
    const broken = new MalformedRecordError('API key cannot be read');
    const ports = { apiKeys: { findApiKey: () => fail(broken) } };
    const { authorizer, reports } = authorizerWorld({ ports });
    const event = authorizerEvent({ authorization: `Bearer ${apiKeyValue}` });
    await expect(authorizer(event)).rejects.toThrow(/^Unauthorized$/);
    expect(reports).toMatchObject([{ level: 'error', fields: { reason: 'record_malformed' } }]);
  });

  it('fails on a method that no one gave scopes', async () => {
    const options = { authorization: `Bearer ${token}`, resourcePath: '/forgotten' };
    await expect(authorize(options)).rejects.toThrow(/^there is no decision/);
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'fails on the route %s',
    async (resourcePath) => {
      await expect(authorize({ authorization: `Bearer ${token}`, resourcePath })).rejects.toThrow(
        /^there is no decision/,
      );
    },
  );

  it('fails on an event without a request context', async () => {
    const { authorizer } = authorizerWorld();
    const event = { ...authorizerEvent({}), requestContext: undefined };
    await expect(
      authorizer(event as unknown as APIGatewayRequestAuthorizerEvent),
    ).rejects.toThrow();
  });
});

describe('the log', () => {
  it('has one line a request, and no credential in it', async () => {
    const canary = 'canaryvalue';
    const { authorizer, reports } = authorizerWorld();
    const forged = signToken(
      ownKey,
      { ...ownClaims, iss: `https://${canary}.example` },
      { kid: canary },
    );
    const values = [
      `Bearer ${canary}`,
      `Basic ${canary}`,
      `Bearer ak_${canary}`,
      `Bearer ${forged}`,
      `Bearer ${signToken(ownKey, ownClaims, { kid: canary })}`,
      `Bearer ${signToken(providerKey, { ...providerClaims, client_id: canary, jti: canary })}`,
      `Bearer ${apiKeyValue}`,
      `Bearer ${token}`,
    ];
    for (const authorization of values) {
      await authorizer(authorizerEvent({ authorization })).catch(() => undefined);
    }
    expect(reports).toHaveLength(values.length);
    const text = JSON.stringify(reports);
    for (const secret of [
      canary,
      forged,
      token,
      apiKeyValue,
      Buffer.from(canary).toString('base64'),
    ]) {
      expect(text).not.toContain(secret);
    }
  });

  it('says who, what and how long', async () => {
    const { authorizer, reports } = authorizerWorld();
    await authorizer(authorizerEvent({ authorization: `Bearer ${token}` }));
    expect(reports).toEqual([
      {
        level: 'info',
        outcome: 'allowed',
        statusCode: 200,
        latency: 0,
        clientId: ownClaims.client_id,
        fields: {
          route: 'GET /messages',
          source_ip: '203.0.113.9',
          request_id: 'request-1',
          credential: 'access_token',
          client_id: ownClaims.client_id,
          issuer,
          jti: 'jti-1',
        },
      },
    ]);
  });
});
