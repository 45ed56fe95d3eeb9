import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { createGuardedFetch } from '../../../adapters/https/json-request.ts';
import { createFunctionCaller } from '../../../adapters/lambda/invoke-from-function.ts';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import type { ManagementAlias } from '../../../contract/management/roles.ts';
import { reservedFor } from '../../../contract/reservations.ts';
import { type EventHandler, startLambda } from '../../../lab/emulator/lambda-server.ts';
import { hangLimit } from '../../../lab/support/hang-limit.ts';
import { createLoopbackCertificate, serveHttps } from '../../../lab/support/loopback-https.ts';
import { portalConfig } from '../../../lab/support/portal-config.ts';
import { grantIssuer } from '../../adapters/management/world.ts';
import { askedWorld } from '../../lambda/management/restricted-world.ts';
import { readConfigFile } from '../../lib/synthesise.ts';
import { testAccessKey } from '../../support/test-access-key.ts';

const config = parseDeploymentConfig({ ...readConfigFile('single-region'), portal: portalConfig });

/** A function with the executions that the config reserves for it, and no more. */
function reserve(name: 'management' | 'portal', run: EventHandler): EventHandler {
  const most = reservedFor(config, portalConfig.region, name) ?? Number.POSITIVE_INFINITY;
  let running = 0;
  return async (...invocation) => {
    if (running >= most) throw new Error(`${name} is throttled`);
    running += 1;
    try {
      return await run(...invocation);
    } finally {
      running -= 1;
    }
  };
}

/** A provider that hangs, until it is let go. */
async function serveHanging() {
  const certificate = await createLoopbackCertificate();
  const held: ServerResponse[] = [];
  let isFree = false;
  const { port, close } = await serveHttps(certificate, (_, response) => {
    if (isFree) response.writeHead(404).end();
    else held.push(response);
  });
  const letGo = () => {
    isFree = true;
    for (const response of held) response.writeHead(404).end();
  };
  return { issuer: `https://localhost:${port}`, ca: certificate.cert, held, letGo, close };
}

it('an operator disables a client while inspections of a customer hold all pages', async () => {
  const provider = await serveHanging();
  const { world, ask } = await askedWorld();
  world.limits.set('tg-1001', { serviceTrunkGroup: 'tg-1001', version: 1, ownProviders: 1 });
  const { issuer, ca } = provider;
  grantIssuer(world, issuer, ['tg-1001']);
  const fetchJson = createGuardedFetch({ allowLoopback: true, ca });
  Object.assign(world.context, { fetchJson, allowLoopbackProviders: true });
  interface Asked {
    readonly operation: string;
    readonly input: object;
    readonly alias: ManagementAlias;
    readonly more?: object;
  }
  const management = reserve('management', (event) => {
    const { operation, input, alias, more } = event as Asked;
    return ask(operation, input, alias, more);
  });
  const person = { actor: 'https://idp.example.net#ada', role: 'manager' };
  const page = {
    operation: 'inspectProvider',
    input: { discoveryUrl: `${issuer}/.well-known/openid-configuration` },
    alias: 'portal',
    more: { person, trunk_groups: ['tg-1001'] },
  };
  const portal = reserve('portal', () => invoke('management', page));
  const functions = new Map([
    ['management', management],
    ['portal', portal],
  ]);
  const server = await startLambda({ functions, accessKey: testAccessKey });
  onTestFinished(async () => {
    await Promise.all([server.close(), provider.close()]);
  });
  // Each has one connection.
  const invoke = (name: string, event: object) =>
    createFunctionCaller(
      {
        AWS_REGION: 'us-west-2',
        AWS_ACCESS_KEY_ID: testAccessKey.accessKeyId,
        AWS_SECRET_ACCESS_KEY: testAccessKey.secretAccessKey,
        AWS_ENDPOINT_URL_LAMBDA: server.endpoint,
      },
      hangLimit,
    ).invoke(name, event);
  const pages = Array.from({ length: 80 }, () => invoke('portal', {}));
  const ended = Promise.allSettled(pages);
  await expect.poll(() => provider.held.length, { timeout: hangLimit }).toBe(50);

  const input = { clientId: world.clientId, enabled: false };
  const stop = { operation: 'setClientEnabled', input, alias: 'client-operator' };
  expect(await invoke('management', stop)).toMatchObject({ result: input });

  provider.letGo();
  const outcomes = (await ended).map(({ status }) => status);
  expect(outcomes.filter((status) => status === 'rejected')).toHaveLength(30);
});
