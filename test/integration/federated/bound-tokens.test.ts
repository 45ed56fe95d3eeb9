import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, describe, expect, it } from 'vitest';
import { codeBlocks, readPage, root } from '../../../lab/support/markdown.ts';
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts';
import { useLocalCli } from '../cli/use-authctl.ts';

const run = promisify(execFile);
const { authctl, service } = useLocalCli({ dpop: true });
const folder = makeTemporaryDirectory();
afterAll(() => folder.remove());

it('the commands of the page bind a token, which is refused without the key', async () => {
  const { lines = [] } =
    codeBlocks(readPage('docs/getting-started.md')).find(({ lines: [line = ''] }) =>
      line.includes('key create'),
    ) ?? {};
  const script = lines
    .join('\n')
    .replaceAll('npx --no -- authctl', '"$NODE" cli/authctl.ts')
    .replaceAll('npx --no -- node', '"$NODE"')
    .replaceAll('key.jwk', join(folder.path, 'key.jwk'));
  const env = { ...process.env, ...service().environment, NODE: process.execPath };
  const { stdout } = await run('sh', ['-ec', script], { cwd: root, env });
  expect(stdout).toMatch(/"items":.*"client_id":"client_/);
  expect(stdout).toContain('{"error":"invalid_token"');
});

describe('authctl key create', () => {
  it.each(['ES256', 'ES384', 'Ed25519', 'PS256', 'RS384'])(
    'writes a pair for %s, and prints nothing of the private key',
    async (alg) => {
      const file = join(folder.path, alg);
      const { stdout, stderr } = await authctl(['key', 'create', file, '--alg', alg]);
      const { d, ...others } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
      expect(d).toMatch(/^[\w-]{43,}$/);
      expect(stdout + stderr).not.toContain(d);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const jwk = JSON.parse(readFileSync(`${file}.pub`, 'utf8')) as Record<string, string>;
      expect(others).toMatchObject(jwk);
      expect(jwk).toMatchObject({ alg });
      expect(jwk).not.toHaveProperty('d');
    },
  );

  it('replaces no file', async () => {
    const file = join(folder.path, 'kept');
    await authctl(['key', 'create', file]);
    const before = readFileSync(file, 'utf8');
    for (const path of [file, join(folder.path, 'none/key.jwk')]) {
      const { exitCode, stderr } = await authctl(['key', 'create', path]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`"${path}"; allowed: a new`)]);
    }
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

describe('a published client gets a bound token here and calls an API with it:', () => {
  it('openid-client', async () => {
    const { issuer, clientId, clientSecret, exampleUrl } = service();
    const config = await openid.discovery(
      new URL(issuer),
      clientId,
      undefined,
      openid.ClientSecretBasic(clientSecret),
      { execute: [openid.allowInsecureRequests] },
    );
    expect(config.serverMetadata()['dpop_signing_alg_values_supported']).toContain('ES256');
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
    const { access_token: token, token_type: type } = await openid.clientCredentialsGrant(
      config,
      {},
      { DPoP },
    );
    expect(type).toBe('dpop');
    const call = (options: openid.DPoPOptions) =>
      openid.fetchProtectedResource(
        config,
        token,
        new URL(exampleUrl),
        'GET',
        undefined,
        undefined,
        options,
      );
    expect((await call({ DPoP })).status).toBe(200);
    await expect(call({})).rejects.toMatchObject({ status: 401 });
  });

  it('oauth4webapi', async () => {
    const { issuer, clientId, clientSecret, exampleUrl } = service();
    const options = {
      DPoP: oauth.DPoP({}, await oauth.generateKeyPair('Ed25519')),
      [oauth.allowInsecureRequests]: true,
    };
    const url = new URL(issuer);
    const server = await oauth.processDiscoveryResponse(
      url,
      await oauth.discoveryRequest(url, options),
    );
    const client = { client_id: clientId };
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      oauth.ClientSecretBasic(clientSecret),
      {},
      options,
    );
    const token = await oauth.processClientCredentialsResponse(server, client, response);
    expect(token.token_type).toBe('dpop');
    const answer = await oauth.protectedResourceRequest(
      token.access_token,
      'GET',
      new URL(exampleUrl),
      undefined,
      undefined,
      options,
    );
    expect(answer.status).toBe(200);
  });
});
