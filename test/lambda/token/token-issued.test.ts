import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { secretExpiresSoonWithin } from '../../../contract/bounds.ts';
import { tokenPath } from '../../../contract/routes.ts';
import { syntheticClientId } from '../../../contract/synthetic-check.ts';
import { clientIdOf, makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';
import type { ProxyRequest } from '../../../lab/support/proxy-event.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { worldNow } from '../../../lab/support/token-settings.ts';
import { goodAuthorization, tokenWorld, worldSigner } from '../../support/token-world.ts';

const grant = (more: string): Partial<ProxyRequest> => ({
  body: `grant_type=client_credentials&${more}`,
});
const contentType = (value: string): Partial<ProxyRequest> => ({
  headers: { 'Content-Type': value },
});
const authorization = (value: string): Partial<ProxyRequest> => ({
  headers: { Authorization: value },
});

interface Token {
  readonly access_token: string;
  readonly expires_in: number;
  readonly scope: string;
}

async function issueFor(different: Partial<ProxyRequest> = {}, clients = [makeClient()]) {
  const response = await tokenWorld(clients).issue(different);
  expect(response.statusCode).toBe(200);
  return JSON.parse(response.body) as Token;
}

describe('a secret that expires soon', () => {
  const day = 86_400;
  const withSecretThatExpires = (expiresAt: number | undefined, clientId = clientIdOf(1)) =>
    makeClient({ clientId, secrets: [makeSecret(secretValueOf(1), { expiresAt })] });

  it.each([
    [secretExpiresSoonWithin, 14],
    [7 * day, 7],
    [7 * day - 1, 6],
    [1, 0],
  ])('of %d seconds left is reported with %d days', async (left, days) => {
    const { issue, reports } = tokenWorld([withSecretThatExpires(worldNow + left)]);
    await issue();
    expect(reports[0]?.measures).toEqual(new Map([['SecretDaysLeft', days]]));
    expect(reports[0]?.fields['secret_expires_at']).toBe(
      new Date((worldNow + left) * 1000).toISOString().replace('.000Z', 'Z'),
    );
  });

  it.each([
    ['that expires later', withSecretThatExpires(worldNow + secretExpiresSoonWithin + 1)],
    ['that never ends', withSecretThatExpires(undefined)],
    ['that has expired and was refused', withSecretThatExpires(worldNow)],
  ])('is not one %s', async (_, client) => {
    const { issue, reports } = tokenWorld([client]);
    await issue();
    expect(reports[0]?.measures).toBeUndefined();
    expect(reports[0]?.fields).not.toHaveProperty('secret_expires_at');
  });

  it("is not the synthetic check's, which makes itself new ones", async () => {
    const clientId = syntheticClientId('slc');
    const { issue, reports } = tokenWorld([withSecretThatExpires(worldNow + 600, clientId)]);
    const response = await issue(authorization(basic(clientId, secretValueOf(1))));
    expect(JSON.parse(response.body)).toMatchObject({ scope: 'synthetic-check', expires_in: 60 });
    expect(reports[0]?.measures).toBeUndefined();
  });
});

describe('a good token request', () => {
  it('gets the response of RFC 6749 §5.1', async () => {
    const { issue } = tokenWorld();
    const response = await issue();
    expect(response).toEqual({
      statusCode: 200,
      headers: {
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
        Pragma: 'no-cache',
        'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
        'X-Content-Type-Options': 'nosniff',
      },
      body: expect.any(String),
    });
    expect(JSON.parse(response.body)).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'messaging:view messaging:manage',
    });
  });

  it.each([
    ['a charset', contentType('application/x-www-form-urlencoded; charset=UTF-8')],
    ['another charset', contentType('application/x-www-form-urlencoded; charset=ISO-8859-1')],
    ['a base64 body', { body: Buffer.from('grant_type=client_credentials') }],
    ['an empty scope', grant('scope=')],
    ['an unknown parameter', grant('foo=bar')],
    ['audience', grant('audience=x')],
    ['the assertion of another grant', grant('assertion=a.b.c')],
    ['__proto__', grant('__proto__=x')],
    ['constructor', grant('constructor=x')],
    ['the same client_id', grant(`client_id=${clientIdOf(1)}`)],
    ['an empty client_secret', grant('client_secret=')],
    ['an unknown parameter in the query', { query: 'utm_source=x' }],
    ['basic', authorization(goodAuthorization.replace('Basic', 'basic'))],
    ['BASIC', authorization(goodAuthorization.replace('Basic', 'BASIC'))],
    [
      'an id and a secret that are form-encoded',
      authorization(
        basic(
          encodeURIComponent(clientIdOf(1)).replaceAll('_', '%5F'),
          secretValueOf(1).replaceAll('_', '%5f'),
        ),
      ),
    ],
    [
      'spoofed forwarding headers',
      {
        headers: {
          'X-Forwarded-Host': 'evil.example',
          'X-Forwarded-For': '10.0.0.1',
          Host: 'evil.example',
        },
      },
    ],
  ])('is still good with %s', async (_name, different) => {
    const { access_token, scope } = await issueFor(different);
    expect(scope).toBe('messaging:view messaging:manage');
    expect(decodeJwt(access_token)).toEqual({
      iss: 'https://auth.example.com',
      sub: clientIdOf(1),
      aud: 'https://api.example.com',
      client_id: clientIdOf(1),
      iat: worldNow,
      exp: worldNow + 3600,
      jti: expect.any(String),
      scope,
      service_trunk_group: 'stg-1',
    });
  });

  it('is good with each active secret, until the second before it expires', async () => {
    const secrets = [1, 2, 3].map((seed) =>
      makeSecret(secretValueOf(seed), { expiresAt: worldNow + 1 }),
    );
    const { issue, clock } = tokenWorld([makeClient({ secrets })]);
    const statuses = async () =>
      Promise.all(
        [1, 2, 3].map(
          async (seed) =>
            (await issue(authorization(basic(clientIdOf(1), secretValueOf(seed))))).statusCode,
        ),
      );
    expect(await statuses()).toEqual([200, 200, 200]);
    clock.now += 1;
    expect(await statuses()).toEqual([401, 401, 401]);
  });

  it('gets what it asked for and no more', async () => {
    const clients = [makeClient({ audiences: ['urn:example:a', 'https://b.example'] })];
    const scoped = await issueFor(
      grant('scope=messaging:view&resource=https://b.example'),
      clients,
    );
    expect(scoped.scope).toBe('messaging:view');
    expect(decodeJwt(scoped.access_token)).toMatchObject({
      aud: 'https://b.example',
      scope: 'messaging:view',
    });
    const usual = await issueFor({}, clients);
    expect(decodeJwt(usual.access_token).aud).toBe('urn:example:a');
  });

  it('gets the life that the client has, and says so', async () => {
    const { access_token, expires_in } = await issueFor({}, [makeClient({ tokenLifetime: 60 })]);
    const { iat = 0, exp = 0 } = decodeJwt(access_token);
    expect({ expires_in, life: exp - iat }).toEqual({ expires_in: 60, life: 60 });
  });

  it('never gets the same token twice', async () => {
    const { issue } = tokenWorld();
    const responses = await Promise.all(Array.from({ length: 50 }, () => issue()));
    const tokens = responses.map(({ body }) => (JSON.parse(body) as Token).access_token);
    expect(new Set(tokens.map((token) => decodeJwt(token).jti)).size).toBe(50);
  });

  it('is signed by the current key, which its header names', async () => {
    const { access_token } = await issueFor();
    expect(decodeProtectedHeader(access_token)).toEqual({
      alg: 'ES256',
      typ: 'at+jwt',
      kid: worldSigner.key.kid,
    });
  });

  it('costs one read, one signature, and the list of keys once', async () => {
    const { issue, stores } = tokenWorld();
    await issue();
    await issue();
    expect(stores.findClient).toHaveBeenCalledTimes(2);
    expect(stores.sign).toHaveBeenCalledTimes(2);
    expect(stores.listSigningKeys).toHaveBeenCalledTimes(1);
  });

  it('is reported with who, what and which key, and with no credential', async () => {
    const { issue, reports } = tokenWorld();
    const { access_token } = JSON.parse((await issue()).body) as Token;
    expect(reports).toEqual([
      {
        level: 'info',
        outcome: 'issued',
        statusCode: 200,
        latency: 0,
        clientId: clientIdOf(1),
        fields: {
          http_method: 'POST',
          path: tokenPath,
          source_ip: '192.0.2.1',
          request_id: 'request-1',
          client_id: clientIdOf(1),
          secret_id: expect.stringMatching(/^secret_/),
          scope: 'messaging:view messaging:manage',
          aud: 'https://api.example.com',
          jti: decodeJwt(access_token).jti,
          kid: worldSigner.key.kid,
          unusable_kids: undefined,
          secret_use: 'recorded',
        },
      },
    ]);
  });
});
