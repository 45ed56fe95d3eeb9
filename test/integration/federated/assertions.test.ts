import { createRemoteJWKSet, decodeJwt, jwtVerify, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxAssertionFormBytes, maxTokenBytes } from '../../../contract/bounds.ts';
import { jwksPath } from '../../../contract/routes.ts';
import { deriveProviderClientId } from '../../../core/client/provider-client-id.ts';
import {
  type LoopbackProvider,
  startLoopbackProvider,
} from '../../../lab/support/loopback-provider.ts';
import { useLocalCli } from '../cli/use-authctl.ts';

const { authctl, json, service } = useLocalCli({
  federatedClients: { audience: 'urn:example:agents' },
});

const subject = 'system:serviceaccount:voice:dialer';
const clientAssertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

let provider: LoopbackProvider;

beforeAll(async () => {
  provider = await startLoopbackProvider();
  await json(['provider', 'register', provider.discoveryUrl, '--client-id-claim', 'sub']);
  await json(
    ['client', 'create', '--name', 'Dialer', '--trunk-group', 'tg-7']
      .concat(['--scope', 'messaging:view', '--scope', 'messaging:manage'])
      .concat(['--provider', provider.issuer, '--external-client-id', subject]),
  );
});

afterAll(() => provider.close());

function sign(claims: Readonly<Record<string, unknown>> = {}, header = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const usual = { iss: provider.issuer, sub: subject, aud: service().issuer, iat: now };
  return new SignJWT({ ...usual, exp: now + 600, jti: 'pod-1', ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: provider.key.kid, ...header })
    .sign(provider.key.privateKey);
}

async function send(form: Readonly<Record<string, string>>, headers = {}) {
  const { tokenUrl } = service();
  const body = new URLSearchParams(form);
  const response = await fetch(tokenUrl, { method: 'POST', headers, body });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const asClient = (assertion: string) => ({
  grant_type: 'client_credentials',
  client_assertion_type: clientAssertionType,
  client_assertion: assertion,
});
const asGrant = (assertion: string) => ({ grant_type: jwtBearer, assertion });

/** An assertion of so many bytes, or a little less: base64url has no text of every length. */
async function signOfLength(bytes: number): Promise<string> {
  const groups = (length: number) => ({ groups: ['g'.repeat(length)] });
  const short = await sign(groups(1));
  return sign(groups(1 + Math.floor(((bytes - short.length) * 3) / 4)));
}

const clientId = () => deriveProviderClientId(provider.issuer, subject);

describe.each([
  ['client_assertion', asClient],
  ['jwt-bearer', asGrant],
])('an assertion as %s', (name, form) => {
  it.each([
    [8 * 1024, 200],
    [maxTokenBytes, 200],
    [maxTokenBytes + 8, name === 'jwt-bearer' ? 400 : 401],
    [maxAssertionFormBytes, 400],
  ])('of %i bytes gets %i, and explain says the same', async (bytes, status) => {
    const stdin = await signOfLength(bytes);
    expect(bytes - stdin.length).toBeLessThan(4);
    expect((await send(form(stdin))).status).toBe(status);
    const explained = ['explain', 'request', '--assertion', name.replace('-', '_')];
    const run = await authctl([...explained, '--bearer-stdin'], { stdin });
    expect(run).toMatchObject({ exitCode: status === 200 ? 0 : 1 });
  });

  it('gets a token of this service that its keys verify and the example API accepts', async () => {
    const assertion = await sign();
    const { status, body } = await send(form(assertion));
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        access_token: expect.any(String) as string,
        token_type: 'Bearer',
        expires_in: expect.any(Number) as number,
        scope: 'messaging:view messaging:manage',
      },
    });
    const token = String(body['access_token']);
    const keys = createRemoteJWKSet(new URL(service().issuer + jwksPath));
    const { payload } = await jwtVerify(token, keys, {
      issuer: service().issuer,
      audience: 'https://api.example.com',
      typ: 'at+jwt',
    });
    expect(payload).toEqual({
      iss: service().issuer,
      sub: clientId(),
      aud: 'https://api.example.com',
      client_id: clientId(),
      iat: payload.iat,
      // 15 minutes more than the assertion has.
      exp: (decodeJwt(assertion).exp ?? 0) + 900,
      jti: expect.any(String) as string,
      scope: 'messaging:view messaging:manage',
      service_trunk_group: 'tg-7',
    });
    expect(body['expires_in']).toBe((payload.exp ?? 0) - (payload.iat ?? 0));
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(service().exampleUrl, { headers })).status).toBe(200);
  });

  it('takes scope, resource and client_id as a Basic client does', async () => {
    const { body } = await send({
      ...form(await sign({ aud: [service().issuer] })),
      scope: 'messaging:view',
      resource: 'https://api.example.com',
      client_id: clientId(),
    });
    expect(body['scope']).toBe('messaging:view');
    expect((await send({ ...form(await sign()), client_id: subject })).status).toBe(200);
    const wrong = await send({ ...form(await sign()), scope: 'calls:view' });
    expect(wrong.body).toEqual({
      error: 'invalid_scope',
      error_description: 'the client may not have a scope that it asks for',
    });
  });
});

describe('the token endpoint with federatedClients', () => {
  it('accepts the audience of the config only from a client_assertion, and a token endpoint only from jwt-bearer', async () => {
    const agents = await sign({ aud: 'urn:example:agents' });
    const endpoint = await sign({ aud: service().tokenUrl });
    const statuses = await Promise.all(
      [asClient(agents), asGrant(agents), asClient(endpoint), asGrant(endpoint)].map(
        async (form) => (await send(form)).status,
      ),
    );
    expect(statuses).toEqual([200, 400, 401, 200]);
  });

  it.each([
    [
      'no credentials',
      { grant_type: 'client_credentials' },
      401,
      'invalid_client',
      'the client must authenticate with HTTP Basic (client_secret_basic) or an assertion (private_key_jwt)',
    ],
    [
      'another grant',
      { grant_type: 'password' },
      400,
      'unsupported_grant_type',
      `grant_type must be client_credentials or ${jwtBearer}`,
    ],
  ])('says what is allowed to a request with %s', async (_, form, status, error, text) => {
    expect(await send(form as unknown as Readonly<Record<string, string>>)).toEqual({
      status,
      body: { error, error_description: text },
    });
  });
});

/*
 * The assertions of the scenario `auth/wif-jwt-bearer` of MCP's conformance suite (SEP-1933), with
 * what it wants of its own server. It tests clients, so nothing of it runs against another server.
 */
it.each([
  ['its assertion', {}, {}, 200, undefined],
  ['a wrong audience', { aud: 'https://wrong.example' }, {}, 400, 'invalid_grant'],
  ['an expired one', { exp: Math.floor(Date.now() / 1000) - 60 }, {}, 400, 'invalid_grant'],
  ['a scope that is not granted', {}, { scope: 'wif.rejected' }, 400, 'invalid_scope'],
  ['no assertion', {}, { assertion: '' }, 400, 'invalid_request'],
  ['the client_id of another', {}, { client_id: 'conformance-wif-workload' }, 400, 'invalid_grant'],
  ['the subject as client_id', {}, { client_id: subject }, 200, undefined],
])('the grant as MCP’s conformance suite has it: %s', async (_, claims, form, status, error) => {
  const assertion = await sign({ jti: crypto.randomUUID(), ...claims }, { typ: undefined });
  const answer = await send({ ...asGrant(assertion), ...form });
  expect([answer.status, answer.body['error']]).toEqual([status, error]);
});

it('an assertion without kid, as that suite signs it, gets no token', async () => {
  const { status, body } = await send(asGrant(await sign({}, { kid: undefined })));
  expect([status, body['error']]).toEqual([400, 'invalid_grant']);
});
