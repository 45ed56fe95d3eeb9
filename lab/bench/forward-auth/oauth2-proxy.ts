import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { findFreePort } from '../../emulator/loopback-server.ts';
import { OutputProcess } from '../../support/output-process.ts';
import { answers, waitUntil } from '../../support/wait-until.ts';
import type { MeasuredProcess } from './process-usage.ts';

const source = join(import.meta.dirname, 'oauth2-proxy');
const binary = resolve(import.meta.dirname, '../../../node_modules/.cache/oauth2-proxy');

/**
 * Builds oauth2-proxy with the Go of this machine, from the versions and hashes of its go.sum. The
 * Go command keeps what it built, so the second time is quick.
 *
 * @returns why there is none, or its path.
 */
export function buildOauth2Proxy(): { readonly path: string } | { readonly missing: string } {
  const args = ['build', '-mod=readonly', '-o', binary, 'github.com/oauth2-proxy/oauth2-proxy/v7'];
  const { status, error, stderr } = spawnSync('go', args, { cwd: source, encoding: 'utf8' });
  if (status === 0) return { path: binary };
  return { missing: error?.message ?? stderr.trim().split('\n').at(-1) ?? `go build: ${status}` };
}

/** Starts it as a check of bearer tokens of one issuer, without a log line for each request. */
export async function startOauth2Proxy(
  path: string,
  issuer: string,
  audience: string,
): Promise<MeasuredProcess> {
  const address = `127.0.0.1:${await findFreePort()}`;
  const options = {
    'http-address': address,
    provider: 'oidc',
    'oidc-issuer-url': issuer,
    'oidc-jwks-url': `${issuer}/.well-known/jwks.json`,
    'oidc-email-claim': 'sub',
    'client-id': audience,
    'skip-jwt-bearer-tokens': 'true',
    // For its other way, a login in the browser; not used here.
    'skip-oidc-discovery': 'true',
    'login-url': `${issuer}/unused`,
    'redeem-url': `${issuer}/unused`,
    'client-secret': 'unused',
    'cookie-secret': '0123456789abcdef0123456789abcdef',
    'email-domain': '*',
    upstream: 'static://200',
    'reverse-proxy': 'true',
    'auth-logging': 'false',
    'request-logging': 'false',
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const running = new OutputProcess([path, ...args], { env: process.env });
  const { child } = running;
  const ping = `http://${address}/ping`;
  await waitUntil(`oauth2-proxy answers ${ping}`, () => answers(ping), { child });
  return {
    url: `http://${address}/oauth2/auth`,
    pid: child.pid ?? 0,
    stop: () => running.stop(),
  };
}
