import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createConnection } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { jwksPath, openidConfigurationPath } from '../../../../contract/routes.ts';
import {
  type ForwardAuthStart,
  startForwardAuthProcess,
} from '../../../../lab/support/forward-auth-process.ts';
import { stepLimit } from '../../../../lab/support/hang-limit.ts';
import { runCommand } from '../../../../lab/support/run-command.ts';
import { startServer } from '../../../../verifier/forward-auth/run.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { fetchToken, useLocalService } from '../../lab/local/use-local-service.ts';
import { bearer, optionsFor, send } from './use-forward-auth.ts';

const service = useLocalService();
const main = resolve(import.meta.dirname, '../../../../verifier/forward-auth/main.ts');

async function start(
  args: readonly string[],
  more: Partial<ForwardAuthStart> & { readonly environment?: ForwardAuthStart['environment'] } = {},
) {
  const running = await startForwardAuthProcess({
    until: more.until ?? 'ready',
    args: [...optionsFor(service()), ...args],
    environment: { ...service().environment, ...more.environment },
  });
  onTestFinished(() => void running.child.kill('SIGKILL'));
  return running;
}

/** Runs a command line that cannot start. */
async function fail(args: readonly string[], environment: Record<string, string> = {}) {
  return runCommand([process.execPath, main, '--listen', '127.0.0.1:0', ...args], {
    environment: { ...service().environment, ...environment },
    timeout: stepLimit,
  });
}

const ownToken = () => fetchToken(service());

describe('the start', () => {
  it('ends with what is wrong with the tables', async () => {
    const { code, output } = await fail([...optionsFor(service()), '--tables', 'lokal']);
    expect(code).toBe(1);
    expect(output).toContain(
      'forward-auth: tables: there is no table "lokal-api-keys" in us-west-2; check the tables',
    );
  });

  it('ends with what is wrong with the issuer', async () => {
    const issuer = service().issuer.replace('localhost', '127.0.0.1');
    const args = ['--issuer', issuer, '--audience', 'https://api.example.com'];
    const { code, output } = await fail([...args, '--own-tokens-only']);
    expect(code).toBe(1);
    expect(output).toContain(
      `forward-auth: issuer: received "${issuer}"; allowed: "${service().issuer}", as ${issuer}/.well-known/openid-configuration says`,
    );
  });

  it('ends if credentials are missing, and says which there can be', async () => {
    const home = temporaryDirectory();
    const { code, output } = await fail([...optionsFor(service()), '--tables', 'local'], {
      AWS_ACCESS_KEY_ID: '',
      AWS_EC2_METADATA_DISABLED: 'true',
      HOME: home,
    });
    expect(code).toBe(1);
    expect(output).toContain('forward-auth: AWS credentials: there are none; allowed: AWS_ACCESS');
  });

  it('ends if the port is taken', async () => {
    const { address } = await start(['--own-tokens-only']);
    const { port } = new URL(address);
    const listen = ['--listen', `127.0.0.1:${port}`];
    const { code, output } = await fail([...optionsFor(service()), '--own-tokens-only', ...listen]);
    expect(code).toBe(1);
    expect(output).toContain('forward-auth: --listen (FORWARD_AUTH_LISTEN): listen EADDRINUSE');
  });

  it('waits for an issuer that does not answer yet: not ready, and no access meanwhile', async () => {
    let answers = false;
    const server = createServer((request, response) => {
      const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      if (!answers) {
        response.writeHead(503).end();
        return;
      }
      void fetch(service().issuer + jwksPath)
        .then((answer) => answer.text())
        .then((keys) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(request.url === openidConfigurationPath ? JSON.stringify({ issuer }) : keys);
        });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const running = await startForwardAuthProcess({
      until: 'listening',
      args: ['--issuer', issuer, '--audience', 'https://api.example.com', '--own-tokens-only'],
      environment: {},
    });
    onTestFinished(() => void running.child.kill('SIGKILL'));
    const { reason } = await running.waitFor({ message: 'not ready' });
    expect(reason).toContain(`${issuer}/.well-known/openid-configuration cannot be fetched`);
    const ready = await send(running.address, '/ready');
    expect([ready.status, JSON.parse(ready.body)]).toEqual([503, { status: 'not_ready', reason }]);
    expect((await send(running.address, '/live')).status).toBe(200);
    answers = true;
    await running.waitFor({ message: 'ready' });
    expect((await send(running.address, '/ready')).status).toBe(200);
  });

  it('is not ready without DynamoDB: own tokens are accepted, API keys get 503', async () => {
    const { address, log } = await start(['--tables', 'local'], {
      until: 'listening',
      environment: { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' },
    });
    expect((await send(address, '/verify/-', bearer(await ownToken()))).status).toBe(200);
    const refused = await send(address, '/verify/-', bearer(service().apiKey));
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    expect(JSON.parse(refused.body)).toMatchObject({ error: 'temporarily_unavailable' });
    expect((await send(address, '/ready')).status).toBe(503);
    expect(log.find(({ message }) => message === 'temporarily_unavailable')).toMatchObject({
      level: 'WARN',
      path: '/verify/-',
    });
  });

  it('reads no AWS credentials for --own-tokens-only, and refuses API keys', async () => {
    const { address } = await start(['--own-tokens-only'], {
      environment: { AWS_ACCESS_KEY_ID: '', AWS_REGION: '' },
    });
    expect((await send(address, '/verify/-', bearer(await ownToken()))).status).toBe(200);
    expect((await send(address, '/verify/-', bearer(service().apiKey))).status).toBe(401);
  });
});

describe('a Unix socket', () => {
  it('serves as an address does, and is taken over from a process that was killed', async () => {
    const path = join(temporaryDirectory(), 'check.sock');
    const listen = ['--own-tokens-only', '--listen', `unix:${path}`];
    const first = await start(listen);
    const token = await ownToken();
    expect((await send(first.address, '/verify/-', bearer(token))).status).toBe(200);
    const taken = await fail([...optionsFor(service()), ...listen]);
    expect(taken.output).toContain('EADDRINUSE');
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = await start(listen);
    expect((await send(second.address, '/verify/-', bearer(token))).status).toBe(200);
  });
});

/** A process that listens on a socket and takes no connection; its queue is full. */
async function startBusyListener(path: string) {
  const program = `require('node:net').createServer().listen({ path: ${JSON.stringify(path)}, backlog: 1 }, () => console.log('up'))`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  for (let code = ''; code !== 'EAGAIN'; ) {
    const socket = createConnection({ path });
    onTestFinished(() => void socket.destroy());
    code = await new Promise<string>((resolve) => {
      socket.once('connect', () => resolve(''));
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    });
  }
}

describe('a socket of a process that is busy', () => {
  // Others refuse the connection, as they do for a process that was killed.
  it.runIf(process.platform === 'linux')('is not taken over', async () => {
    const path = join(temporaryDirectory(), 'busy.sock');
    await startBusyListener(path);
    await expect(startServer({ path, isBeyondLoopback: false }, () => {})).rejects.toThrow(
      'EADDRINUSE',
    );
    expect(lstatSync(path).isSocket()).toBe(true);
  });
});

describe('a path that is no socket', () => {
  it('is an error, and the file stays', async () => {
    const file = join(temporaryDirectory(), 'accounts.csv');
    writeFileSync(file, 'kept');
    const listen = ['--own-tokens-only', '--listen', `unix:${file}`];
    const { output } = await fail([...optionsFor(service()), ...listen]);
    expect(output).toContain('EADDRINUSE');
    expect(readFileSync(file, 'utf8')).toBe('kept');
  });
});

describe('a stop', () => {
  it('ends with code 0, with connections that are kept open', async () => {
    const running = await start(['--own-tokens-only']);
    const { hostname, port } = new URL(running.address);
    const kept = createConnection({ host: hostname, port: Number(port) });
    onTestFinished(() => void kept.destroy());
    kept.write('GET /live HTTP/1.1\r\nHost: check\r\n\r\n');
    await once(kept, 'data');
    expect(await running.stop()).toBe(0);
    expect(running.log.map(({ message }) => message)).toContain('stopping');
  });

  it('ends a request in progress with its answer, and closes its connection', async () => {
    const running = await start(['--own-tokens-only']);
    const { hostname, port } = new URL(running.address);
    const busy = createConnection({ host: hostname, port: Number(port) });
    onTestFinished(() => void busy.destroy());
    busy.write('GET /live HTTP/1.1\r\nHost: check\r\n');
    // Half a request: the process has it when it is asked to stop.
    await send(running.address, '/live');
    running.child.kill('SIGTERM');
    await running.waitFor({ message: 'stopping' });
    busy.write('\r\n');
    const [data] = (await once(busy, 'data')) as [Buffer];
    expect(data.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(data.toString()).toMatch(/connection: close/i);
    if (running.child.exitCode === null) await once(running.child, 'exit');
    expect(running.child.exitCode).toBe(0);
  });
});

describe('the metadata of an API (RFC 9728)', () => {
  it('is served without a credential and named by the challenges, if the API has a URL', async () => {
    const resource = 'https://api.example.com/v1';
    const named = ['--audience', resource, '--resource', resource];
    const { address } = await start(['--own-tokens-only', ...named]);
    const path = '/.well-known/oauth-protected-resource/v1';
    const { status, headers, body } = await send(address, path);
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(JSON.parse(body)).toEqual({
      resource,
      authorization_servers: [service().issuer],
      bearer_methods_supported: ['header'],
    });
    const refused = await send(address, '/verify/-');
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      401,
      `Bearer realm="platform", resource_metadata="https://api.example.com${path}"`,
    ]);
  });
});
