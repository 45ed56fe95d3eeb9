import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../lab/emulator/loopback-server.ts';
import type { ProxyName } from '../../lab/suites/proxies/find-proxies.ts';
import { answers, waitUntil } from '../../lab/support/wait-until.ts';
import { bearer, send } from '../integration/verifier/forward-auth/use-forward-auth.ts';
import { type ProxyProgram, type RunningProxy, startProxy } from './proxy-process.ts';
import { useProxyWorld } from './world.ts';

const services = resolve(import.meta.dirname, '../../examples/proxies/services');
const programs = JSON.parse(process.env['PROXIES'] ?? '{}') as Partial<
  Record<ProxyName, ProxyProgram>
>;
const world = useProxyWorld();
const folder = mkdtempSync(join(tmpdir(), 'services-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Command = readonly [string, ...string[]];

/** The service's command, or undefined if its language is not on this machine. */
const languages: Readonly<Record<string, () => Command | undefined>> = {
  python: () =>
    spawnSync('python3', ['--version']).status === 0
      ? ['python3', join(services, 'service.py')]
      : undefined,
  go: () => {
    const binary = join(folder, 'service');
    const built = spawnSync('go', ['build', '-o', binary, join(services, 'service.go')]);
    return built.status === 0 ? [binary] : undefined;
  },
};

async function startService([path, ...args]: Command, port: number): Promise<ChildProcess> {
  const child = spawn(path, args, { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
  await waitUntil('the service answers', () => answers(`http://127.0.0.1:${port}/health`), {
    child,
  });
  return child;
}

describe.each(Object.keys(languages))('a service in %s', (language) => {
  let child: ChildProcess | undefined;
  let port: number;

  beforeAll(async () => {
    const command = languages[language]?.();
    if (command === undefined) return;
    port = await findFreePort();
    child = await startService(command, port);
  });
  afterAll(() => void child?.kill());

  describe.each((['nginx', 'envoy'] as const).filter((name) => programs[name] !== undefined))(
    'behind %s',
    (name) => {
      let proxy: RunningProxy | undefined;
      const address = () => proxy?.address ?? '';

      beforeAll(async () => {
        if (child === undefined) return;
        const { relay, checks } = world();
        await relay.passTo(checks.realIp);
        const program = programs[name] as ProxyProgram;
        proxy = await startProxy(name, program, { check: relay.port, service: port });
      });
      afterAll(() => proxy?.stop());

      it('accepts all three credentials, and knows who calls', async ({ skip }) => {
        if (proxy === undefined) skip(`there is no ${language} on this machine`);
        const { viewToken, providerToken, anyKey } = world().credentials;
        const callers = [];
        for (const credential of [viewToken, providerToken, anyKey]) {
          const forged = ['X-Auth-Client-Id', 'forged', 'X_Auth_Service_Trunk_Group', 'forged'];
          const plain = name === 'envoy' ? forged.slice(0, 2) : forged;
          const answer = await send(address(), '/messages', [...bearer(credential), ...plain]);
          expect(answer.status).toBe(200);
          callers.push(JSON.parse(answer.body));
        }
        expect(callers).toEqual([
          {
            language,
            caller: {
              credential: 'access_token',
              client_id: world().clientId,
              service_trunk_group: 'demo',
            },
          },
          {
            language,
            caller: {
              credential: 'access_token',
              client_id: world().providerClientId,
              service_trunk_group: 'tg-7',
            },
          },
          {
            language,
            caller: { credential: 'api_key', client_id: '', service_trunk_group: 'demo' },
          },
        ]);
        expect((await send(address(), '/messages')).status).toBe(401);
        expect((await send(address(), '/messages', bearer('bad'))).status).toBe(401);
      });

      it('gives no access if it is reached without a check', async ({ skip }) => {
        if (proxy === undefined) skip(`there is no ${language} on this machine`);
        expect((await send(`http://127.0.0.1:${port}`, '/messages')).status).toBe(500);
      });
    },
  );
});
