import { createPublicKey, verify } from 'node:crypto';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import { describe, expect, it } from 'vitest';
import { openidConfigurationPath } from '../../../contract/routes.ts';
import { codeBlocks, readPage } from '../../../lab/support/markdown.ts';
import { bodyOf } from '../../../lab/support/platforms/hostile-world.ts';
import type { PlatformCopy } from '../../../lab/support/platforms/platform-copies.ts';
import { workloads } from '../../../lab/support/platforms/workloads.ts';
import { runCommand } from '../../../lab/support/run-command.ts';
import { createVerifier } from '../../../verifier/verifier.ts';
import { useLocalCli } from '../cli/use-authctl.ts';
import { seconds, usePlatforms } from './use-platforms.ts';

const cli = useLocalCli({ federatedClients: {} });
const { service } = cli;
const { find } = usePlatforms(cli);

const audience = 'https://api.example.com';
const scope = 'messaging:view';

async function exchange(copy: PlatformCopy, form: 'client_assertion' | 'jwt_bearer') {
  const assertion = await copy.createToken(service().issuer, seconds());
  const response = await fetch(service().tokenUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: bodyOf(form, assertion),
  });
  const { access_token, ...body } = (await response.json()) as Record<string, unknown>;
  expect(body).toEqual({ token_type: 'Bearer', expires_in: expect.any(Number), scope });
  return String(access_token);
}

interface JwtAuthorizer {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly scopes: readonly string[];
}

/**
 * The rules of API Gateway's JWT authorizer, as its page has them: kid, RSA signature, iss, aud (or
 * client_id, if there is no aud), exp, nbf, iat, and one scope of the route.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html
 */
async function authorizeAsApiGateway(token: string, authorizer: JwtAuthorizer): Promise<number> {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const read = (part: string) =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, never>;
  const { alg, kid } = read(header);
  const claims = read(payload) as Record<string, unknown>;
  const fetchJson = async (url: string) => (await fetch(url)).json() as Promise<never>;
  const document = await fetchJson(authorizer.issuer + openidConfigurationPath);
  const { keys } = (await fetchJson(document['jwks_uri'])) as {
    keys: readonly { readonly kid?: string }[];
  };
  const jwk = keys.find((key) => key.kid === kid);
  const now = seconds();
  const audiences = [claims['aud'] ?? claims['client_id']].flat();
  const granted = String(claims['scope'] ?? claims['scp']).split(' ');
  const isAccepted =
    ['RS256', 'RS384', 'RS512'].includes(alg ?? '') &&
    jwk !== undefined &&
    verify(
      'sha256',
      Buffer.from(`${header}.${payload}`),
      createPublicKey({ key: jwk, format: 'jwk' }),
      Buffer.from(signature, 'base64url'),
    ) &&
    claims['iss'] === authorizer.issuer &&
    audiences.some((name) => authorizer.audiences.includes(String(name))) &&
    Number(claims['exp']) > now &&
    Number(claims['nbf'] ?? 0) <= now &&
    Number(claims['iat'] ?? 0) <= now;
  if (!isAccepted) return 401;
  return granted.some((name) => authorizer.scopes.includes(name)) ? 200 : 403;
}

describe.each(workloads.map(({ name }) => name))('%s', (name) => {
  it.each(['client_assertion', 'jwt_bearer'] as const)(
    'gets a token by %s with no secret, and who knows only this issuer accepts it',
    async (form) => {
      const { copy, clientId } = find(name);
      const token = await exchange(copy, form);
      const { issuer, jwksUri } = service();

      const authorizer = { issuer, audiences: [audience], scopes: [scope] };
      expect(await authorizeAsApiGateway(token, authorizer)).toBe(200);
      expect(await authorizeAsApiGateway(token, { ...authorizer, scopes: ['calls:view'] })).toBe(
        403,
      );
      expect(await authorizeAsApiGateway(token, { ...authorizer, audiences: ['x'] })).toBe(401);

      const keys = createRemoteJWKSet(new URL(jwksUri));
      const { payload } = await jwtVerify(token, keys, { issuer, audience, typ: 'at+jwt' });
      expect(payload).toMatchObject({ sub: clientId, client_id: clientId, scope });

      const headers = { authorization: `Bearer ${token}` };
      const verified = await createVerifier({ issuer, audience, jwksUri }).verify(headers, [scope]);
      expect(verified).toMatchObject({ clientId, serviceTrunkGroup: 'tg-7', scopes: [scope] });
      expect((await fetch(service().exampleUrl, { headers })).status).toBe(200);
    },
  );

  it('has an assertion that no platform API takes for a token, and the other way round', async () => {
    const { copy } = find(name);
    const assertion = await copy.createToken(service().issuer, seconds());
    const headers = { authorization: `Bearer ${assertion}` };
    expect((await fetch(service().exampleUrl, { headers })).status).toBe(401);
    const forApi = await copy.createToken(audience, seconds());
    const refused = await fetch(service().tokenUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: bodyOf('jwt_bearer', forApi),
    });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: 'invalid_grant', error_description: 'the assertion is not accepted' },
    ]);
  });
});

describe('the requests of docs/keyless.md', () => {
  const commands = codeBlocks(readPage('docs/keyless.md'))
    .map(({ lines }) => lines.join('\n'))
    .filter((text) => text.includes('$TOKEN_URL'));

  it.each(commands)('get a token: %s', async (command) => {
    const { copy } = find('AWS STS, GetWebIdentityToken');
    const environment = {
      TOKEN_URL: service().tokenUrl,
      ASSERTION: await copy.createToken(service().issuer, seconds()),
    };
    const { stdout } = await runCommand(['sh', '-c', command], { environment });
    expect(JSON.parse(stdout)).toMatchObject({ token_type: 'Bearer', scope });
  });

  it('are both forms', () => {
    expect(commands).toHaveLength(2);
  });
});

describe('openid-client as published', () => {
  const discover = (clientId: string, authentication: openid.ClientAuth) =>
    openid.discovery(new URL(service().issuer), clientId, undefined, authentication, {
      execute: [openid.allowInsecureRequests],
    });

  it('gets a token by client_assertion, and one by the jwt-bearer grant', async () => {
    const { copy, clientId } = find('GitHub Actions, jobs of an environment');
    const assertion = await copy.createToken(service().issuer, seconds());
    const configuration = await discover(clientId, (_as, _client, body) => {
      body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
      body.set('client_assertion', assertion);
    });
    expect(await openid.clientCredentialsGrant(configuration, { scope })).toMatchObject({ scope });

    const forGrant = await discover(clientId, openid.None());
    const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    expect(await openid.genericGrantRequest(forGrant, grant, { assertion })).toMatchObject({
      scope,
    });
  });
});
