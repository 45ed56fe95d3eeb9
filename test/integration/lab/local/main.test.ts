import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseDeploymentConfig } from '../../../../contract/deployment-config.ts';
import { findFreePort } from '../../../../lab/emulator/loopback-server.ts';
import { OutputProcess } from '../../../../lab/support/output-process.ts';
import { programEnvironment } from '../../../../lab/support/program-environment.ts';
import { fetchToken } from '../../../../lab/support/token-request.ts';
import {
  makeTemporaryDirectory,
  temporaryDirectory,
} from '../../../support/temporary-directory.ts';
import {
  type Environment,
  type SpawnedRun,
  sourceDemoEnvironment,
  spawnLocal,
  started,
  stop,
} from './spawned-run.ts';

const authctl = resolve(import.meta.dirname, '../../../../cli/authctl.ts');

async function start(
  state: string,
  flags: readonly string[] = [],
  environment: Environment = {},
): Promise<SpawnedRun> {
  const run = spawnLocal(['--state', state, ...flags], environment);
  onTestFinished(() => stop(run));
  return started(run);
}

const tokenOf = ({ TOKEN_URL = '', CLIENT_ID = '', CLIENT_SECRET = '' }: Environment) =>
  fetchToken(TOKEN_URL, { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET });

/** The kid of the key that the published JWKS verifies the token with. */
async function verify(token: string, environment: Environment): Promise<unknown> {
  const response = await fetch(environment['JWKS_URI'] ?? '');
  const keys = createLocalJWKSet((await response.json()) as JSONWebKeySet);
  const { protectedHeader } = await jwtVerify(token, keys, { typ: 'at+jwt' });
  return protectedHeader.kid;
}

function portOf(environment: Environment): number {
  return Number(new URL(environment['ISSUER'] ?? '').port);
}

/** A run that only tests use that leave it as it is. */
const shared = makeTemporaryDirectory();
const state = shared.path;
let run: SpawnedRun;
beforeAll(async () => {
  run = await started(spawnLocal(['--state', state]));
});
afterAll(async () => {
  await stop(run);
  shared.remove();
});

describe('npm start', () => {
  it('says what it does before it loads anything, and before it starts anything', () => {
    expect(run.output()).toMatch(
      /^Loading the service…\nStarting the service: 2 to 60 seconds\.\n/,
    );
  });

  it('prints where everything is, and a curl line that gets a token from any folder', async () => {
    const environment = sourceDemoEnvironment(state);
    expect(run.output()).toContain(`Issuer      ${environment['ISSUER']}\n`);
    expect(run.output()).toContain(`Token URL   ${environment['ISSUER']}/api/v1/oauth/token\n`);
    expect(run.output()).not.toContain(environment['CLIENT_SECRET']);
    const command = /^ {2}(curl .*)$/m.exec(run.output())?.[1] ?? '';
    const curl = spawnSync('sh', ['-c', command], { cwd: temporaryDirectory(), encoding: 'utf8' });
    const answer = JSON.parse(curl.stdout) as { readonly access_token: string };
    await verify(answer.access_token, environment);
    expect(answer).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
  });

  it('writes a private demo.env that another terminal needs and no more', async () => {
    expect(statSync(join(state, 'demo.env')).mode & 0o777).toBe(0o600);
    const environment = sourceDemoEnvironment(state);
    expect(environment).toMatchObject({
      ISSUER: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      TOKEN_URL: `${environment['ISSUER']}/api/v1/oauth/token`,
      JWKS_URI: `${environment['ISSUER']}/.well-known/jwks.json`,
      CLIENT_ID: expect.stringMatching(/^client_/),
      CLIENT_SECRET: expect.stringMatching(/^cs_/),
      API_KEY: expect.stringMatching(/^ak_/),
      EXAMPLE_URL: `${environment['ISSUER']}/example/messages`,
      AUDIENCE: 'https://api.example.com',
      AWS_ENDPOINT_URL_DYNAMODB: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      AWS_ENDPOINT_URL_KMS: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      AWS_ENDPOINT_URL_LAMBDA: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      AWS_ENDPOINT_URL_STS: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      AWS_REGION: 'us-west-2',
      AWS_DEFAULT_REGION: 'us-west-2',
      AWS_ACCESS_KEY_ID: expect.any(String),
      AWS_SECRET_ACCESS_KEY: expect.any(String),
      AUTHCTL_CONFIG: join(state, 'deployment.json'),
    });
    const config: unknown = JSON.parse(readFileSync(environment['AUTHCTL_CONFIG'] ?? '', 'utf8'));
    expect(parseDeploymentConfig(config, { allowLoopbackIssuer: true }).issuer).toBe(
      environment['ISSUER'],
    );
  });

  it('starts from nothing with --reset, and leaves foreign files alone', async () => {
    const state = temporaryDirectory();
    const first = await start(state);
    const before = sourceDemoEnvironment(state);
    const token = await tokenOf(before);
    await stop(first);
    writeFileSync(join(state, 'mine.txt'), 'x');

    await start(state, ['--reset']);
    const after = sourceDemoEnvironment(state);
    expect(after['CLIENT_ID']).not.toBe(before['CLIENT_ID']);
    await expect(verify(token, after)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
    await verify(await tokenOf(after), after);
    expect(existsSync(join(state, 'mine.txt'))).toBe(true);
  });

  it('serves TLS with --https, trusted through the files that demo.env names', async () => {
    const state = temporaryDirectory();
    const run = await start(state, ['--https']);
    const environment = sourceDemoEnvironment(state);
    expect(environment['ISSUER']).toMatch(/^https:\/\/localhost:\d+$/);
    expect(environment['NODE_EXTRA_CA_CERTS']).toBe(join(state, 'tls', 'ca.pem'));
    expect(environment['CURL_CA_BUNDLE']).toBe(join(state, 'tls', 'ca.pem'));
    const script =
      "fetch(process.env.JWKS_URI).then((r) => console.log(r.status, r.headers.get('strict-transport-security')))";
    const env = { ...environment, PATH: process.env['PATH'] ?? '' };
    expect(execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' })).toBe(
      '200 null\n',
    );
    const line = /^ {2}(curl .*)$/m.exec(run.output())?.[1] ?? '';
    expect(spawnSync('sh', ['-c', line], { encoding: 'utf8' }).stdout).toContain('"access_token"');
    const plain = 'curl -sf "$JWKS_URI"';
    expect(spawnSync('sh', ['-c', plain], { env, encoding: 'utf8' }).stdout).toContain('"keys"');
  });
});

describe('npm start after a stop', () => {
  const stopped = makeTemporaryDirectory();
  const state = stopped.path;
  let first: SpawnedRun;
  let before: Environment;
  let token: string;
  /** That the first run left. */
  let log: string;
  let second: SpawnedRun;
  let after: Environment;
  beforeAll(async () => {
    const ports = { PORT: String(await findFreePort()), DYNAMODB_PORT: '0' };
    first = await started(spawnLocal(['--state', state], ports));
    before = sourceDemoEnvironment(state);
    token = await tokenOf(before);
    await stop(first);
    log = readFileSync(join(state, 'log.jsonl'), 'utf8');
    second = await started(spawnLocal(['--state', state], ports));
    after = sourceDemoEnvironment(state);
  });
  afterAll(async () => {
    await stop(second);
    stopped.remove();
  });

  it('keeps keys, client and addresses', async () => {
    expect(after['CLIENT_SECRET']).toBe(before['CLIENT_SECRET']);
    expect(after['API_KEY']).toBe(before['API_KEY']);
    expect(after['ISSUER']).toBe(before['ISSUER']);
    await verify(token, after);
    expect(await verify(await tokenOf(before), after)).toBe(await verify(token, after));
  });

  it('has logged nothing that is secret', () => {
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toContainEqual(
      expect.objectContaining({ service: 'token', region_id: 'slc', outcome: 'issued' }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ service: 'key-rotation' }));
    expect(first.output()).not.toContain('{');
    for (const text of [log, first.output(), first.errors()]) {
      expect(text).not.toContain(before['CLIENT_SECRET']);
      expect(text).not.toContain(token.split('.')[2]);
    }
    expect(statSync(join(state, 'log.jsonl')).mode & 0o777).toBe(0o600);
  });
});

describe('npm start says what is wrong, and ends with 1', () => {
  async function fail(flags: readonly string[], environment: Environment = {}): Promise<string> {
    const run = spawnLocal(flags, environment);
    onTestFinished(() => stop(run));
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(/^Loading the service…\n(?:Starting the service: .*\n)?$/);
    expect(run.errors()).not.toMatch(/^\s+at /m);
    return run.errors();
  }

  it('if the port is in use', async () => {
    const PORT = String(portOf(sourceDemoEnvironment(state)));
    expect(await fail(['--state', temporaryDirectory()], { PORT })).toBe(
      `npm start: port ${PORT} for the service is in use; PORT=<number> selects another\n`,
    );
  });

  it('if another run uses the state, which --reset leaves alone', async () => {
    expect(await fail(['--state', state, '--reset'])).toBe(
      `npm start: another local run is using ${state}; stop it, or choose another folder with --state\n`,
    );
    await tokenOf(sourceDemoEnvironment(state));
  });

  it('if nothing is installed yet', async () => {
    const folder = temporaryDirectory();
    const clone = resolve(import.meta.dirname, '../../../..');
    mkdirSync(join(folder, 'lab/local'), { recursive: true });
    for (const file of ['package.json', 'lab/local/start.js']) {
      copyFileSync(join(clone, file), join(folder, file));
    }
    const npm = ['start', '--silent', '--prefix', folder];
    const { status, stderr } = spawnSync('npm', npm, { cwd: folder, encoding: 'utf8' });
    expect(stderr).toMatch(
      /^npm start: \d+ packages are not installed \(@[^)]+\); run "npm ci" first\n$/,
    );
    expect(status).toBe(1);
  });

  it('but shows its help', async () => {
    const run = spawnLocal(['--help']);
    expect(await run.ended).toBe(0);
    expect(run.output()).toContain('--https');
    expect(run.errors()).toBe('');
  });
});

it('starts with a folder whose name has quotes, and authctl finds it', async () => {
  const folder = join(temporaryDirectory(), `it's a "dir" $HOME`);
  await start(join(folder, '.local'));
  const output = execFileSync(process.execPath, [authctl, '--local', 'client', 'list', '--quiet'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(output).toMatch(/^client_\w{22}\n$/);
});

describe('SIGINT and SIGTERM', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends the run, open connections included',
    async (signal) => {
      const state = temporaryDirectory();
      const run = await start(state);
      const port = portOf(sourceDemoEnvironment(state));
      const half = connect(port, '127.0.0.1');
      onTestFinished(() => {
        half.destroy();
      });
      half.on('error', () => undefined);
      half.write('POST /api/v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1');
      await fetch(`http://127.0.0.1:${port}/.well-known/jwks.json`);

      // The half request never ends by itself.
      run.child.kill(signal);
      expect(await run.ended).toBe(0);
      expect(run.errors()).toBe('');
    },
  );

  // npm forwards SIGINT and SIGTERM, and those only to a shell that does not.
  it.each([
    ['SIGTERM', 'node'],
    ['SIGHUP', 'exec node'],
    ['SIGKILL', 'exec node'],
    ['SIGKILL', 'node'],
    ['SIGKILL', 'test -d . && node'],
  ] as const)('that ends npm with %s ends its script "%s"', async (signal, node) => {
    const folder = temporaryDirectory();
    const state = join(folder, '.local');
    const program = resolve(import.meta.dirname, '../../../../lab/local/main.ts');
    const scripts = { start: `${node} ${program} --state ${state}` };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts }));
    const PORT = String(await findFreePort());
    const env = { ...programEnvironment(), PORT };
    const npm = new OutputProcess(['npm', 'start'], { cwd: folder, env, detached: true });
    onTestFinished(async () => {
      await npm.interrupt();
    });
    await npm.waitFor('it was ready', () => npm.output.includes('Ctrl-C') || undefined);
    npm.child.kill(signal);
    // The streams close when the last process that has them ends.
    await npm.ended;
    expect(npm.output).toMatch(/\nStopping\.\n$/);
    await start(state, [], { PORT });
  });
});
