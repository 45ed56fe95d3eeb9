import { describe, expect, it } from 'vitest';
import { lambdaContext, proxyEvent } from '../../../lab/support/proxy-event.ts';
import { createDiscoveryHandler } from '../../../lambda/discovery/function.ts';
import { goodAuthorization, tokenWorld } from '../../support/token-world.ts';

const clientAssertion = {
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: 'a.b.c',
};
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const onlyBasic = 'the client must authenticate with HTTP Basic (client_secret_basic)';

async function send(authorization: string | undefined, form: Readonly<Record<string, string>>) {
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    ...(authorization !== undefined && { Authorization: authorization }),
  };
  const body = new URLSearchParams(form).toString();
  const { statusCode, body: answer } = await tokenWorld().call({
    method: 'POST',
    path: '/api/v1/oauth/token',
    headers,
    body,
  });
  return [statusCode, answer];
}

// Word for word: clients see these refusals.
describe('a token endpoint without federatedClients', () => {
  it.each([
    [
      'a client_assertion',
      undefined,
      { grant_type: 'client_credentials', ...clientAssertion },
      401,
      `{"error":"invalid_client","error_description":"${onlyBasic}"}`,
    ],
    [
      'an assertion next to HTTP Basic',
      goodAuthorization,
      { grant_type: 'client_credentials', ...clientAssertion },
      400,
      '{"error":"invalid_request","error_description":"the client must authenticate in one way, only with HTTP Basic"}',
    ],
    [
      'the grant jwt-bearer',
      undefined,
      { grant_type: jwtBearer, assertion: 'a.b.c' },
      400,
      '{"error":"unsupported_grant_type","error_description":"grant_type must be client_credentials"}',
    ],
    [
      'the grant jwt-bearer with HTTP Basic',
      goodAuthorization,
      { grant_type: jwtBearer, assertion: 'a.b.c' },
      400,
      '{"error":"unsupported_grant_type","error_description":"grant_type must be client_credentials"}',
    ],
    [
      'no credentials',
      undefined,
      { grant_type: 'client_credentials' },
      401,
      `{"error":"invalid_client","error_description":"${onlyBasic}"}`,
    ],
  ])('answers %s as before', async (_, authorization, form, status, body) => {
    const plain: Readonly<Record<string, string>> = { ...form };
    expect(await send(authorization, plain)).toEqual([status, body]);
  });

  it('ignores the parameter of another grant, as any that it does not know', async () => {
    const form = { grant_type: 'client_credentials', assertion: 'a.b.c' };
    expect((await send(goodAuthorization, form))[0]).toBe(200);
  });
});

it('a discovery document without federatedClients has the bytes of before', async () => {
  const handler = createDiscoveryHandler({
    AUTH_ISSUER: 'https://auth.example.com',
    AUTH_REGIONAL_TOKEN_ENDPOINTS: { slc: 'https://slc.auth.example.com/api/v1/oauth/token' },
    AUTH_SIGNING_ALGORITHMS: ['RS256'],
    AUTH_DOCUMENT_MAX_AGE: 3600,
  });
  const path = '/.well-known/openid-configuration';
  const { body } = await handler(proxyEvent({ method: 'GET', path }), lambdaContext());
  expect(body).toBe(
    '{"issuer":"https://auth.example.com",' +
      '"token_endpoint":"https://auth.example.com/api/v1/oauth/token",' +
      '"regional_token_endpoints":{"slc":"https://slc.auth.example.com/api/v1/oauth/token"},' +
      '"jwks_uri":"https://auth.example.com/.well-known/jwks.json",' +
      '"grant_types_supported":["client_credentials"],' +
      '"token_endpoint_auth_methods_supported":["client_secret_basic"],' +
      '"response_types_supported":["none"],"subject_types_supported":["public"],' +
      '"id_token_signing_alg_values_supported":["RS256"]}',
  );
});
