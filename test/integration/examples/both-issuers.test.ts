import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLoopbackCertificate, serveDocuments } from '../../../lab/support/loopback-https.ts';
import { root } from '../../../lab/support/markdown.ts';
import { runCommand } from '../../../lab/support/run-command.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import { makeTemporaryDirectory } from '../lab/local/temporary-directory.ts';
import { requestToken, useLocalService } from '../lab/local/use-local-service.ts';

const service = useLocalService({ https: true });
const workspace = makeTemporaryDirectory();
const key = createTestKey('RS256');
let pool: Awaited<ReturnType<typeof serveDocuments>>;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  const certificate = await createLoopbackCertificate();
  pool = await serveDocuments(certificate);
  pool.documents.set('/pool/.well-known/jwks.json', { keys: [key.jwk] });
  const own = service().environment;
  const trusted = join(workspace.path, 'ca.pem');
  const authorities = [readFileSync(own['NODE_EXTRA_CA_CERTS'] ?? '', 'utf8'), certificate.cert];
  writeFileSync(trusted, authorities.join('\n'));
  const COGNITO_ISSUER = `${pool.origin}/pool`;
  environment = { ...own, NODE_EXTRA_CA_CERTS: trusted, COGNITO_ISSUER };
});
afterAll(async () => {
  await pool.close();
  workspace.remove();
});

/** An access token of an app client, as Cognito documents it. */
function cognitoToken(changes: Readonly<Record<string, unknown>>): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims = {
    sub: '1example23456789',
    token_use: 'access',
    scope: 'https://api.example.com/messages.read',
    auth_time: iat,
    iss: `${pool.origin}/pool`,
    exp: iat + 3600,
    iat,
    version: 2,
    jti: randomUUID(),
    client_id: '1example23456789',
  };
  return signToken(key, { ...claims, ...changes }, { typ: undefined });
}

const verify = (token: string) =>
  runCommand([process.execPath, join(root, 'examples/typescript/verify-token-both-issuers.ts')], {
    environment: { ...environment, ACCESS_TOKEN: token },
  });

describe('an API that takes tokens of Cognito and of this service', () => {
  it('finds the same scopes in both', async () => {
    const response = await requestToken(service(), { scope: 'messaging:view' });
    const { access_token: own } = (await response.json()) as { access_token: string };
    expect((await verify(own)).output).toBe(
      `${JSON.stringify({ client_id: service().clientId, scopes: ['messaging:view'] })}\n`,
    );
    expect((await verify(cognitoToken({}))).output).toBe(
      `${JSON.stringify({ client_id: '1example23456789', scopes: ['messaging:view'] })}\n`,
    );
  });

  it.each([
    ['an id token of a user', { token_use: 'id' }],
    ['an expired one', { exp: 1_700_000_000 }],
    ['another pool', { iss: 'https://localhost/other' }],
  ])('refuses %s', async (_, changes) => {
    const { code, output } = await verify(cognitoToken(changes));
    expect(output).toMatch(/^refused: /);
    expect(code).toBe(1);
  });

  it('gives no scope that it does not know', async () => {
    const { output } = await verify(cognitoToken({ scope: 'messaging:view' }));
    expect(JSON.parse(output)).toMatchObject({ scopes: [] });
  });
});
