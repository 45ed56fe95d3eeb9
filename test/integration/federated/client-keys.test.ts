import { execFile, spawnSync } from 'node:child_process';
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as openid from 'openid-client';
import { afterAll, expect, it } from 'vitest';
import { codeBlocks, readPage } from '../../../lab/support/markdown.ts';
import { waitUntil } from '../../../lab/support/wait-until.ts';
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts';
import { useLocalCli } from '../cli/use-authctl.ts';

/** Not synchronous: the emulator of KMS runs in this process. */
const run = promisify(execFile);

const { authctl, json, service, requestToken } = useLocalCli({ clientKeys: {} });
const folder = makeTemporaryDirectory();
afterAll(() => folder.remove());

/** Runs the commands of the page that begin like this. */
async function runPage(first: string, env: Readonly<Record<string, string>> = {}) {
  const block = codeBlocks(readPage('docs/keyless.md')).find(({ lines: [line = ''] }) =>
    line.startsWith(first),
  );
  const lines = block?.lines.filter((line) => !line.startsWith('npx')) ?? [];
  expect(lines).toHaveLength(2);
  const options = { cwd: folder.path, env: { ...process.env, ...env } };
  await run('sh', ['-ec', lines.join('\n')], options);
}

async function makeKey(): Promise<{ readonly publicKey: string; readonly privateKey: KeyObject }> {
  await runPage('openssl genpkey');
  const privateKey = createPrivateKey(readFileSync(join(folder.path, 'key.pem'), 'utf8'));
  return { publicKey: join(folder.path, 'public.pem'), privateKey };
}

const base = ['--trunk-group', 'tg-7', '--scope', 'messaging:view'];

async function createClient(...more: readonly string[]): Promise<string> {
  const { client_id: id } = await json(['client', 'create', '--name', 'Dialer', ...base, ...more]);
  return String(id);
}

/** Uses as `client-secret list` has them. */
async function lastUses(clientId: string): Promise<Readonly<Record<string, unknown>>> {
  const { items } = await json(['client-secret', 'list', clientId]);
  const all = items as readonly Record<string, unknown>[];
  return Object.fromEntries(all.map((one) => [one['secret_id'], one['last_used_on']]));
}

async function getToken(clientId: string, key: KeyObject): Promise<number> {
  const pkcs8 = key.export({ format: 'der', type: 'pkcs8' });
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const imported = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']);
  const config = await openid.discovery(
    new URL(service().issuer),
    clientId,
    undefined,
    openid.PrivateKeyJwt(imported),
    { execute: [openid.allowInsecureRequests] },
  );
  try {
    await openid.clientCredentialsGrant(config, { scope: 'messaging:view' });
    return 200;
  } catch (error) {
    if (error instanceof openid.ResponseBodyError) return error.status;
    throw error;
  }
}

it('a client moves from a secret to a key without a request that fails', async () => {
  const clientId = await createClient();
  const created = await json(['client-secret', 'create', clientId]);
  const [secretId, secret] = [String(created['secret_id']), String(created['client_secret'])];
  expect((await requestToken(clientId, secret)).status).toBe(200);

  const { publicKey, privateKey } = await makeKey();
  const added = await json(['client-secret', 'create', clientId, '--public-key', publicKey]);
  const keyId = String(added['secret_id']);
  expect(added).toMatchObject({ alg: 'ES256', thumbprint: expect.stringMatching(/^[\w-]{43}$/) });
  expect(added).not.toHaveProperty('client_secret');
  expect(await getToken(clientId, privateKey)).toBe(200);
  expect((await requestToken(clientId, secret)).status).toBe(200);
  const aDay = expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/);
  const used = await waitUntil('the use is recorded', async () => {
    const uses = await lastUses(clientId);
    return uses[keyId] !== undefined && uses;
  });
  expect(used).toEqual({ [secretId]: aDay, [keyId]: aDay });

  await authctl(['client-secret', 'disable', clientId, secretId, '--yes']);
  expect((await requestToken(clientId, secret)).status).toBe(401);
  expect(await getToken(clientId, privateKey)).toBe(200);
  await authctl(['client-secret', 'delete', clientId, secretId, '--yes']);
  expect(await getToken(clientId, privateKey)).toBe(200);
});

it('a key is rotated with an overlap, and a private one is refused and never sent', async () => {
  const clientId = await createClient();
  const first = await makeKey();
  const { secret_id: old } = await json(
    `client-secret create ${clientId} --public-key ${first.publicKey}`,
  );
  const second = await makeKey();
  const words = ['client-secret', 'rotate', clientId, '--public-key', second.publicKey];
  const rotated = await json([...words, '--expire-old-in', '1h', '--name', 'new']);
  expect(rotated['expiring_secrets']).toEqual([expect.objectContaining({ secret_id: old })]);
  expect(await getToken(clientId, first.privateKey)).toBe(200);
  expect(await getToken(clientId, second.privateKey)).toBe(200);
  const { stdout } = await authctl(['client-secret', 'list', clientId]);
  expect(stdout).toMatch(/secret_\w+ +new +ES256 +active/);

  const privateFile = join(folder.path, 'key.pem');
  for (const verb of ['create', 'rotate']) {
    const refused = await authctl(['client-secret', verb, clientId, '--public-key', privateFile]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(
      `--public-key ${privateFile}: the key is private; nothing was sent`,
    );
    expect(refused.stderr + refused.stdout).not.toContain(
      readFileSync(privateFile, 'utf8').slice(40, 80),
    );
  }
  const missing = await authctl(['client-secret', 'create', clientId, '--public-key', 'no.pem']);
  expect(missing.stderr).toContain(
    '--public-key no.pem: it cannot be read: ENOENT; nothing was sent',
  );
  const other = ['--public-key', second.publicKey, '--alg', 'HS256'];
  const wrong = await authctl(['client-secret', 'create', clientId, ...other]);
  expect(wrong.stderr).toContain('the key is not one for HS256; nothing was sent');
});

const hasAwsCli = spawnSync('aws', ['--version']).status === 0;

it.skipIf(!hasAwsCli)('a key of AWS KMS gets a token as the page and the script say', async () => {
  const env = { ...process.env, ...service().environment };
  const spec = ['--key-spec', 'RSA_2048', '--key-usage', 'SIGN_VERIFY'];
  const text = ['--query', 'KeyMetadata.KeyId', '--output', 'text'];
  const key = await run('aws', ['kms', 'create-key', ...spec, ...text], { env });
  const KMS_KEY = key.stdout.trim();
  await runPage('aws kms', { ...service().environment, KMS_KEY });
  const clientId = await createClient();
  const publicKey = join(folder.path, 'public.pem');
  const added = await json(['client-secret', 'create', clientId, '--public-key', publicKey]);
  expect(added).toMatchObject({ alg: 'PS256' });
  const { issuer, tokenUrl } = service();
  const asked = { ...env, KMS_KEY, CLIENT_ID: clientId, ISSUER: issuer, TOKEN_URL: tokenUrl };
  const script = join(import.meta.dirname, '../../../examples/curl/get-token-with-kms.sh');
  const { stdout } = await run(script, { env: asked });
  expect(JSON.parse(stdout)).toMatchObject({ token_type: 'Bearer', scope: 'messaging:view' });
});
