import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import { formatPortalConfig, portalConfigFile } from '../../../contract/function-environments.ts';
import { seal } from '../../../portal/login/sealing.ts';
import { toStored } from '../../../portal/login/session.ts';
import { closeServer, listenOnLoopback } from '../../emulator/loopback-server.ts';
import { portalConfig } from '../../support/portal-config.ts';
import { buildFunction } from '../build.ts';

/** The secret of the session keys; the services below know it. */
export const sessionKeySecret =
  'arn:aws:secretsmanager:us-west-2:111122223333:secret:session-keys-AbCdEf';
const sessionKey = 'k'.repeat(43);
const sessionEpoch = 1;

/** The bundle with its pages' files and the sample portal, on the host of the events. */
export function buildPortal(local: object): ReturnType<typeof buildFunction> {
  const bundle = buildFunction('portal');
  const assets = resolve(import.meta.dirname, '../../../portal/assets');
  cpSync(assets, join(bundle.taskRoot, 'assets'), { recursive: true });
  const domain = { ...portalConfig.domain, name: 'auth.example.com' };
  const input = { ...local, portal: { ...portalConfig, domain, sessionEpoch } };
  const { portal, management } = parseDeploymentConfig(input, { allowLoopbackIssuer: true });
  assert.ok(portal);
  writeFileSync(join(bundle.taskRoot, portalConfigFile), formatPortalConfig(portal, management));
  return bundle;
}

/** The cookie of a manager of one trunk group who has just signed in. */
export function sealSession(): string {
  const now = Math.floor(Date.now() / 1000);
  const session = toStored({
    issuer: portalConfig.login.issuer,
    subject: 'ada',
    name: 'Ada',
    role: 'manager',
    trunkGroups: ['tg-1001'],
    begunAt: now,
    usedAt: now,
    authenticatedAt: now,
    epoch: sessionEpoch,
  });
  const key = createHash('sha256').update(sessionKey).digest();
  return `__Host-session=${seal([key], 'session', session)}`;
}

/** Secrets Manager with the session key, and a Lambda whose one function is given. */
export async function startPortalServices(
  invoke: (event: unknown, alias: string) => Promise<{ readonly payload: unknown }>,
) {
  const server = createServer((request, response) => {
    void (async () => {
      const body: unknown = JSON.parse(await text(request));
      if (request.headers['x-amz-target'] === undefined) {
        const { searchParams, pathname } = new URL(request.url ?? '', 'http://lambda');
        const name = decodeURIComponent(pathname);
        const alias = searchParams.get('Qualifier') ?? name.split('/').at(-2)?.split(':').at(-1);
        response.end(JSON.stringify((await invoke(body, alias ?? '')).payload));
      } else if ((body as { readonly VersionStage: string }).VersionStage === 'AWSCURRENT') {
        response.end(JSON.stringify({ SecretString: sessionKey, CreatedDate: 1_700_000_000 }));
      } else {
        response.writeHead(400, { 'X-Amzn-ErrorType': 'ResourceNotFoundException' }).end('{}');
      }
    })();
  });
  const port = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) };
}
