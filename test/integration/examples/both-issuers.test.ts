import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { otherBothIssuers } from '../../../lab/suites/examples/catalogue.ts';
import { hangLimit } from '../../../lab/support/hang-limit.ts';
import { serveDocuments } from '../../../lab/support/loopback-https.ts';
import { root } from '../../../lab/support/markdown.ts';
import { runCommand } from '../../../lab/support/run-command.ts';
import { type Runtime, trustVariables } from '../../../lab/support/runtimes.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import { fetchToken, useLocalService } from '../lab/local/use-local-service.ts';

const node: Runtime = async (name) => ({
  command: [process.execPath, join(root, `examples/typescript/${name}.ts`)],
});
/** The suite `examples` names the other languages, whose libraries it fetches. */
const { BOTH_ISSUERS: wanted = 'Node' } = process.env;
const [, runtime, program] =
  otherBothIssuers.find(([language]) => language === wanted) ??
  (['Node', node, 'verify-token-both-issuers'] as const);

const service = useLocalService({ https: true });
const key = createTestKey('RS256');
const cognitoScope = 'https://api.example.com/messages.read';
let pool: Awaited<ReturnType<typeof serveDocuments>>;

beforeAll(async () => {
  const folder = dirname(service().caPath ?? '');
  const [cert = '', own = ''] = ['cert.pem', 'key.pem'].map((name) =>
    readFileSync(join(folder, name), 'utf8'),
  );
  pool = await serveDocuments({ cert, key: own });
  pool.documents.set('/pool/.well-known/jwks.json', { keys: [key.jwk] });
});
afterAll(() => pool.close());

/** An access token of an app client, as Cognito documents it. */
function cognitoToken(changes: Readonly<Record<string, unknown>> = {}): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims = {
    sub: '1example23456789',
    token_use: 'access',
    scope: cognitoScope,
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

const ownToken = (scope: string) => fetchToken(service(), { scope });

it('an API finds the same in tokens of both, and refuses others', {
  timeout: 9 * hangLimit,
}, async () => {
  const { caPath = '', paths, environment, clientId } = service();
  const prepared = await runtime(program, { caPath, directory: paths.directory });
  if ('missing' in prepared) throw new Error(prepared.missing);
  const variables = {
    ...environment,
    ...trustVariables(caPath),
    COGNITO_ISSUER: `${pool.origin}/pool`,
    ANY_OF: `${cognitoScope} messaging:view`,
  };
  const verify = async (ACCESS_TOKEN: string) => {
    const run = await runCommand(prepared.command, { environment: { ...variables, ACCESS_TOKEN } });
    return run.code === 0 ? (JSON.parse(run.output) as unknown) : run.output;
  };
  expect(await verify(await ownToken('messaging:view messaging:manage'))).toEqual({
    client_id: clientId,
    scopes: ['messaging:view'],
  });
  expect(await verify(cognitoToken({ scope: `${cognitoScope} openid` }))).toEqual({
    client_id: '1example23456789',
    scopes: [cognitoScope],
  });
  for (const changes of [
    // An id token of a user.
    { token_use: 'id' },
    { exp: 1_700_000_000 },
    { iss: 'https://localhost/other' },
    // The pool's key is not ours.
    { iss: service().issuer, aud: 'https://api.example.com' },
    { scope: 'messaging:manage' },
  ]) {
    expect(await verify(cognitoToken(changes)), JSON.stringify(changes)).toMatch(/^refused: /);
  }
  expect(await verify(await ownToken('messaging:manage'))).toMatch(/^refused: /);
});
