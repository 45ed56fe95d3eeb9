import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOrThrow } from '../../support/run-command.ts';
import { makePythonEnvironment } from '../../support/runtimes.ts';
import { withLocalService } from '../../support/with-local-service.ts';
import { authctl } from '../examples/world.ts';

/*
 * Moves callers of Cognito here and back: ids and secrets are those that moto's Cognito made, and the
 * requests differ in nothing but the URL.
 */

const audience = 'https://api.example.com';

interface App {
  readonly ClientId: string;
  readonly ClientSecret: string;
  readonly AllowedOAuthScopes: readonly string[];
}

/** One in three asks for all that the client has, one for a scope, and one says its id again. */
function requestOf({ ClientId, ClientSecret, AllowedOAuthScopes }: App, index: number) {
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  if (index % 3 > 0) body.set('scope', AllowedOAuthScopes.slice(-index % 3).join(' '));
  if (index % 3 === 2) body.set('client_id', ClientId);
  const credentials = Buffer.from(`${ClientId}:${ClientSecret}`).toString('base64');
  return { method: 'POST', headers: { authorization: `Basic ${credentials}` }, body };
}

/**
 * The scopes of the token that Cognito gives for the request, in place of its endpoint, which moto
 * does not have: https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html
 */
function scopesOfCognito(app: App, index: number): string {
  return requestOf(app, index).body.get('scope') ?? app.AllowedOAuthScopes.join(' ');
}

/** What each caller gets: the scopes of its token, or the status of the refusal. */
function askAll(url: string, apps: readonly App[]): Promise<readonly string[]> {
  const asked = apps.map(async (app, index) => {
    const response = await fetch(url, requestOf(app, index));
    const { access_token: token = '' } = (await response.json()) as { access_token?: string };
    if (response.status !== 200) return String(response.status);
    const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
    return (JSON.parse(claims) as { readonly scope: string }).scope;
  });
  return Promise.all(asked);
}

async function proveMove(cognitoJson: string): Promise<void> {
  const texts = cognitoJson.trim().split(/\n(?=\{)/);
  const apps = texts.map((one) => (JSON.parse(one) as { UserPoolClient: App }).UserPoolClient);
  const count = 500;
  assert.equal(new Set(apps.map(({ ClientId }) => ClientId)).size, count);
  const scopes = ['read', 'send'].map((permission) => ({
    service: 'messages',
    permission,
    description: permission,
    value: `${audience}/messages.${permission}`,
  }));
  const regions = { slc: { awsRegion: 'us-west-2' } };
  const config = { regions, defaultAudience: audience, scopes, clientImport: {} };
  await withLocalService({ config }, async (service) => {
    const file = join(service.paths.directory, 'cognito.json');
    writeFileSync(file, cognitoJson);
    const group = ['--trunk-group', 'tg-7'];
    const run = async (...words: readonly string[]) =>
      assert.equal(
        (await authctl(service, 'client', 'import', ...words)).split('\n').length,
        count,
      );
    const here = () => askAll(service.tokenUrl, apps);
    const refused = apps.map(() => '401');
    const before = apps.map(scopesOfCognito);
    assert.ok(before.every((scope) => scope.startsWith(audience)));
    await run('--from', file, ...group, '--check');
    assert.deepEqual(await here(), refused);
    await run('--from', file, ...group);
    assert.deepEqual(await here(), before);
    process.stdout.write(`passed  ${count} clients got the same scopes here, 0 refused\n`);
    await run('--undo', file, ...group, '--yes');
    assert.deepEqual(await here(), refused);
    process.stdout.write(`passed  ${count} clients went back, and none is left here\n`);
  });
}

const python = await makePythonEnvironment(['moto[cognitoidp]==5.2.5']);
if ('missing' in python) {
  process.stdout.write(`SKIPPED: Cognito's clients cannot be made: no ${python.missing}\n`);
} else {
  const program = join(import.meta.dirname, 'make_clients.py');
  await proveMove(await runOrThrow([join(python.bin, 'python'), program]));
}
