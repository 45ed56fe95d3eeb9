import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listenOnLoopback } from '../../lab/emulator/loopback-server.ts';
import { type ProxyName, proxyNames } from '../../lab/suites/proxies/find-proxies.ts';
import { createDecisionLog } from '../../verifier/forward-auth/decision-log.ts';
import { createHandler } from '../../verifier/forward-auth/handler.ts';
import { createVerifier } from '../../verifier/verifier.ts';
import {
  type BoundTokenIssuer,
  clientsWithProofs,
  headersWithProof,
  type KeyPair,
  startBoundTokenIssuer,
} from '../integration/verifier/bound-token-issuer.ts';
import { bearer, send } from '../integration/verifier/forward-auth/use-forward-auth.ts';
import { type ProxyProgram, type RunningProxy, startProxy } from './proxy-process.ts';

const programs = JSON.parse(process.env['PROXIES'] ?? '{}') as Partial<
  Record<ProxyName, ProxyProgram>
>;

/** Traefik sends what was asked under names of its own. */
function headersOf(name: ProxyName) {
  return name === 'traefik'
    ? { methodHeader: 'x-forwarded-method', uriHeader: 'x-forwarded-uri' }
    : { methodHeader: 'x-original-method', uriHeader: 'x-original-uri' };
}

let world: BoundTokenIssuer;
let service: Server;
let servicePort: number;

beforeAll(async () => {
  world = await startBoundTokenIssuer();
  service = createServer((_request, response) => response.end('{}'));
  servicePort = await listenOnLoopback(service);
});

afterAll(() => {
  world.close();
  service.close();
});

describe.each(proxyNames)('a bound token behind %s', (name) => {
  const program = programs[name];
  let check: Server;
  let proxy: RunningProxy;

  beforeAll(async () => {
    if (program === undefined) return;
    const { issuer, audience } = world;
    const verifier = createVerifier({ issuer, audience, dpop: { origins: [audience] } });
    const log = createDecisionLog('none', () => {});
    const proofs = headersOf(name);
    const options = { verifier, log, clientAddressHeader: undefined, proofs };
    check = createServer(createHandler({ ...options, notReady: () => undefined }));
    proxy = await startProxy(name, program, {
      service: servicePort,
      check: await listenOnLoopback(check),
    });
  }, 60_000);

  afterAll(async () => {
    await proxy?.stop();
    check?.close();
  });

  it.skipIf(program === undefined).each(Object.keys(clientsWithProofs))(
    'is accepted with a proof by %s, for this request only',
    async (client) => {
      const { token, holder, stranger } = world;
      const prove = (by: KeyPair, method = 'GET', url = 'https://api.example.com/messages') =>
        headersWithProof(token, by, method, url, client);
      const ask = async (headers: readonly string[]) =>
        (await send(proxy.address, '/messages?page=2', headers)).status;
      const other = await prove(holder, 'POST', 'https://api.example.com/other');
      const { methodHeader, uriHeader } = headersOf(name);
      const claimed = [methodHeader, 'POST', uriHeader, '/other'];
      const honest = await prove(holder);
      expect(await ask(honest)).toBe(200);
      expect(await ask(honest)).toBe(401);
      expect(await ask([...(await prove(holder)), ...claimed])).toBe(200);
      expect(await ask(other)).toBe(401);
      expect(await ask([...other, ...claimed])).toBe(401);
      expect(await ask(await prove(stranger))).toBe(401);
      expect(await ask(bearer(token))).toBe(401);
    },
  );
});
