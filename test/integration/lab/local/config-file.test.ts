import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import threeRegions from '../../../../config/three-regions.json' with { type: 'json' };
import type { DeploymentConfigInput } from '../../../../contract/deployment-config.ts';
import { openidConfigurationPath } from '../../../../contract/routes.ts';
import { LocalRunError } from '../../../../lab/emulator/loopback-server.ts';
import { type LocalRun, startLocal } from '../../../../lab/local/start-local.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { sourceDemoEnvironment, spawnLocal, started, stop } from './spawned-run.ts';
import { fetchToken, requestToken } from './use-local-service.ts';

const orders = [
  { service: 'orders', permission: 'read', description: 'Read orders' },
  { service: 'orders', permission: 'write', description: 'Place orders' },
];
const config: DeploymentConfigInput = {
  regions: { pit: { awsRegion: 'eu-central-1' } },
  defaultAudience: 'https://orders.example.com',
  scopes: orders,
  tokenLifetime: { default: 600 },
  accessTokenType: 'JWT',
};

async function start(
  stateDirectory: string,
  changes: Partial<DeploymentConfigInput> = {},
): Promise<LocalRun> {
  const run = await startLocal({ stateDirectory, port: 0, config: { ...config, ...changes } });
  onTestFinished(() => run.close());
  return run;
}

describe('a local run of a config', () => {
  it('issues what the config says', async () => {
    const run = await start(temporaryDirectory());
    const claims = decodeJwt(await fetchToken(run));
    expect(claims).toMatchObject({
      iss: run.issuer,
      aud: 'https://orders.example.com',
      scope: 'orders:read orders:write',
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(600);
    const discovery = await fetch(run.issuer + openidConfigurationPath);
    expect(await discovery.json()).toMatchObject({
      issuer: run.issuer,
      scopes_supported: ['orders:read', 'orders:write'],
    });
    expect(run.environment).toMatchObject({
      AWS_REGION: 'eu-central-1',
      AUDIENCE: 'https://orders.example.com',
    });
  });

  it('ignores the scopes that it is told to ignore, and takes audience for resource', async () => {
    const run = await start(temporaryDirectory(), {
      ignoredScopes: ['openid', 'offline_access'],
      audienceParameter: 'resource',
    });
    const ask = async (parameters: Readonly<Record<string, string>>) =>
      (await requestToken(run, parameters)).json();
    const scope = 'offline_access openid orders:write';
    const audience = 'https://orders.example.com';
    expect(await ask({ scope, audience })).toMatchObject({ scope: 'orders:write' });
    expect(await ask({ scope: 'openid' })).toMatchObject({ scope: 'orders:read orders:write' });
    expect(await ask({ audience: 'https://other.example.com' })).toMatchObject({
      error: 'invalid_target',
    });
  });

  it('refuses audience if it is told so, also next to an assertion', async () => {
    const run = await start(temporaryDirectory(), {
      audienceParameter: 'refuse',
      federatedClients: {},
    });
    const audience = 'https://orders.example.com';
    const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    const body = new URLSearchParams({ grant_type, assertion: 'x', audience });
    for (const response of [
      await requestToken(run, { audience }),
      await fetch(run.tokenUrl, { method: 'POST', body }),
    ]) {
      expect(await response.json()).toEqual({
        error: 'invalid_request',
        error_description: 'audience is not supported: name the API with resource',
      });
    }
  });

  it('has an example API that asks for the scopes of the config', async () => {
    const run = await start(temporaryDirectory());
    const token = await fetchToken(run, { scope: 'orders:read' });
    const call = (method: string) =>
      fetch(run.exampleUrl, { method, headers: { authorization: `Bearer ${token}` } });
    expect((await call('GET')).status).toBe(200);
    const refused = await call('POST');
    expect([refused.status, await refused.json()]).toEqual([
      403,
      expect.objectContaining({ error: 'insufficient_scope', scope: 'orders:write' }),
    ]);
  });

  it('serves the first of several regions, without their domain', async () => {
    const { defaultAudience } = threeRegions;
    const run = await start(temporaryDirectory(), threeRegions as DeploymentConfigInput);
    const claims = decodeJwt(await fetchToken(run));
    expect(claims).toMatchObject({ iss: run.issuer, aud: defaultAudience });
    const written: unknown = JSON.parse(readFileSync(run.paths.deploymentConfig, 'utf8'));
    expect(written).toMatchObject({ issuer: run.issuer, regions: { slc: expect.anything() } });
    expect(written).not.toHaveProperty('domain');
  });

  it('gives its demonstration client what a changed config has', async () => {
    const state = temporaryDirectory();
    const before = await start(state);
    await before.close();
    const more = { service: 'orders', permission: 'cancel', description: 'Cancel orders' };
    const after = await start(state, {
      scopes: [...orders, more],
      tokenLifetime: { default: 300 },
    });
    expect(after.clientId).toBe(before.clientId);
    const claims = decodeJwt(await fetchToken(after));
    expect(claims['scope']).toBe('orders:read orders:write orders:cancel');
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300);
  });

  it('is refused in another AWS region than its keys are in', async () => {
    const state = temporaryDirectory();
    await (await start(state)).close();
    await expect(start(state, { regions: { pit: { awsRegion: 'eu-west-1' } } })).rejects.toThrow(
      new LocalRunError(
        'regions.pit.awsRegion: received "eu-west-1"; allowed: "eu-central-1", which has the signing keys of the state, or --reset',
      ),
    );
  });
});

describe('npm start -- --config FILE', () => {
  function write(text: string): string {
    const path = join(temporaryDirectory(), 'authorization-server.json');
    writeFileSync(path, text);
    return path;
  }

  it('says what runs, and authctl --local knows it', async () => {
    const path = write(JSON.stringify(config));
    const state = temporaryDirectory();
    const run = spawnLocal(['--config', path, '--state', state]);
    onTestFinished(() => stop(run));
    await started(run);
    const wanted = `The deployment is that of ${path}: pit in eu-central-1, with 2 scopes.`;
    await expect.poll(() => run.output()).toContain(wanted);
    const { AUTHCTL_CONFIG = '' } = sourceDemoEnvironment(state);
    expect(JSON.parse(readFileSync(AUTHCTL_CONFIG, 'utf8'))).toMatchObject({ scopes: orders });
  });

  it.each([
    [
      'a value that is not allowed',
      JSON.stringify({ ...config, regions: { slc: { awsRegion: 'us-west-9' } } }),
      /: the deployment config cannot be used: regions\.slc\.awsRegion: received "us-west-9"; allowed: an AWS region: af-south-1, .*\n$/,
    ],
    [
      'a key of another release',
      JSON.stringify({ ...config, audiences: [] }),
      /: the deployment config cannot be used:\n {2}audiences: unknown key; allowed: name, .*\n {2}a key that is unknown here may be of another release: install the release that .*\n$/,
    ],
    ['no JSON', '{', /: the deployment config is not JSON: Expected property name .*\n$/],
  ])('refuses %s, and leaves the state alone', async (_, text, message) => {
    const path = write(text);
    const state = join(temporaryDirectory(), 'state');
    const run = spawnLocal(['--config', path, '--state', state, '--reset']);
    onTestFinished(() => stop(run));
    expect(await run.ended).toBe(1);
    expect(run.errors()).toMatch(message);
    expect(run.errors().startsWith(`npm start: ${path}: `)).toBe(true);
    expect(existsSync(state)).toBe(false);
  });

  it('refuses a file that does not exist', async () => {
    const run = spawnLocal(['--config', '/nowhere/x.json']);
    onTestFinished(() => stop(run));
    expect(await run.ended).toBe(1);
    expect(run.errors()).toBe(
      'npm start: /nowhere/x.json: the deployment config cannot be read (ENOENT)\n',
    );
  });
});
