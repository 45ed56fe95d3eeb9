import { createServer } from 'node:http';
import { JwtVerifier } from 'aws-jwt-verify';
import express from 'express';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { jwksPath } from '../../../contract/routes.ts';
import { listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';
import { ownClaims } from '../../../lab/support/verifier-world.ts';
import { createExpressMiddleware } from '../../../verifier/express.ts';
import { createDecisionLog, type LogEntry } from '../../../verifier/forward-auth/decision-log.ts';
import { createHandler } from '../../../verifier/forward-auth/handler.ts';
import { createVerifier, type DpopOptions, type Verifier } from '../../../verifier/verifier.ts';
import {
  type BoundTokenIssuer,
  headersWithProof,
  type KeyPair,
  startBoundTokenIssuer,
} from './bound-token-issuer.ts';
import { bearer, send } from './forward-auth/use-forward-auth.ts';
import { frameworks, type RunningService } from './middleware/frameworks.ts';

let world: BoundTokenIssuer;

beforeAll(async () => {
  world = await startBoundTokenIssuer();
});

afterAll(() => world.close());

/** The origin of a service is known only when it listens, so its list is filled afterwards. */
function verifierWith(dpop: Partial<DpopOptions>, origins: string[]): Verifier {
  return createVerifier({
    issuer: world.issuer,
    audience: world.audience,
    dpop: { ...dpop, origins: ['https://api.example.com', ...origins] },
  });
}

async function startWith(
  start: (typeof frameworks)[string],
  dpop: Partial<DpopOptions> = {},
): Promise<RunningService> {
  // A first start finds a free port.
  const first = await start(verifierWith({}, []), { notAccepted: [], behindProxy: false });
  onTestFinished(() => first.close());
  let verifier: Verifier | undefined;
  const proxied: Verifier = {
    verify: (...request) => (verifier as Verifier).verify(...request),
    toResponse: (error) => (verifier as Verifier).toResponse(error),
    preload: () => Promise.resolve(),
  };
  const running = await start(proxied, { notAccepted: [], behindProxy: false });
  onTestFinished(() => running.close());
  verifier = verifierWith(dpop, [running.address]);
  return running;
}

function call(address: string, by: KeyPair | undefined, path = '/messages') {
  return oauth
    .protectedResourceRequest(world.token, 'GET', new URL(path, address), undefined, undefined, {
      [oauth.allowInsecureRequests]: true,
      ...(by && { DPoP: oauth.DPoP({}, by) }),
    })
    .then(
      (response) => response,
      (error: unknown) => {
        if (error instanceof oauth.WWWAuthenticateChallengeError) return error.response;
        throw error;
      },
    );
}

describe.each(Object.entries(frameworks))('a bound token at %s', (_, start) => {
  it('is accepted with the proof of a published client', async () => {
    const { address } = await startWith(start);
    const response = await call(address, world.holder, '/messages?page=2');
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ clientId: ownClaims.client_id });
  });

  it('is refused without one, and with one of another key, in the words of RFC 9449', async () => {
    const { address } = await startWith(start, { algorithms: ['ES256'] });
    const plain = await call(address, undefined);
    expect(plain.status).toBe(401);
    expect(plain.headers.get('www-authenticate')).toBe(
      'Bearer realm="platform", error="invalid_token", error_description="the access token is bound to a key and needs a DPoP proof", DPoP realm="platform", algs="ES256"',
    );
    const stolen = await call(address, world.stranger);
    expect(stolen.status).toBe(401);
    expect(stolen.headers.get('www-authenticate')).toBe(
      'DPoP realm="platform", error="invalid_dpop_proof", error_description="the DPoP proof is of another key than the access token", algs="ES256"',
    );
  });

  it('needs a nonce of the API if it gives some, which the client sends by itself', async () => {
    const { address } = await startWith(start, { nonceKey: new Uint8Array(32) });
    const handle = oauth.DPoP({}, world.holder);
    const ask = () =>
      oauth.protectedResourceRequest(
        world.token,
        'GET',
        new URL('/messages', address),
        undefined,
        undefined,
        { [oauth.allowInsecureRequests]: true, DPoP: handle },
      );
    const refused = await ask().catch((error: unknown) => error);
    expect(oauth.isDPoPNonceError(refused)).toBe(true);
    expect((await ask()).status).toBe(200);
  });
});

describe('a proof at Express', () => {
  it('is about the URL that was sent, for a mounted router', async () => {
    let verifier: Verifier | undefined;
    const app = express();
    const router = express.Router();
    router.get('/messages', (request, response, next) => {
      const { requireScopes } = createExpressMiddleware(verifier as Verifier);
      return requireScopes('messaging:view')(request, response, next);
    });
    router.get('/messages', (_request, response) => void response.json({}));
    app.use('/v1', router);
    const mounted = createServer(app);
    const address = `http://127.0.0.1:${await listenOnLoopback(mounted)}`;
    onTestFinished(() => void mounted.close());
    verifier = verifierWith({}, [address]);
    expect((await call(address, world.holder, '/v1/messages')).status).toBe(200);
  });
});

describe('a proof at forward-auth', () => {
  const headers = { methodHeader: 'x-method', uriHeader: 'x-uri' };

  async function startCheck(proofs: typeof headers | undefined) {
    const entries: LogEntry[] = [];
    const verifier = proofs
      ? verifierWith({}, [])
      : createVerifier({ issuer: world.issuer, audience: world.audience });
    const log = createDecisionLog('all', (entry) => entries.push(entry));
    const notReady = () => undefined;
    const check = createServer(
      createHandler({ verifier, log, clientAddressHeader: undefined, proofs, notReady }),
    );
    const address = `http://127.0.0.1:${await listenOnLoopback(check)}`;
    onTestFinished(() => void check.close());
    return {
      entries,
      ask: (sent: readonly string[]) => send(address, '/verify/messaging:view', sent),
    };
  }

  const sentBy = (by: KeyPair) => headersWithProof(world.token, by);

  it('is checked against what the proxy says, and nothing else', async () => {
    const { ask } = await startCheck(headers);
    const of = (method: string, uri: string) => ['X-Method', method, 'X-Uri', uri];
    expect(
      (await ask([...(await sentBy(world.holder)), ...of('GET', '/messages?page=2')])).status,
    ).toBe(200);
    for (const other of [of('POST', '/messages'), of('GET', '/other'), of('GET', '/')]) {
      expect((await ask([...(await sentBy(world.holder)), ...other])).status).toBe(401);
    }
    expect((await ask([...(await sentBy(world.stranger)), ...of('GET', '/messages')])).status).toBe(
      401,
    );
    expect((await ask([...bearer(world.token), ...of('GET', '/messages')])).status).toBe(401);
  });

  it.each([
    ['missing', []],
    ['there twice', ['X-Method', 'GET', 'X-Method', 'GET', 'X-Uri', '/messages']],
    ['half there', ['X-Method', 'GET']],
  ])('is an error of the proxy, and logged so, if what it says is %s', async (_, sent) => {
    const { ask, entries } = await startCheck(headers);
    expect((await ask([...(await sentBy(world.holder)), ...sent])).status).toBe(500);
    expect(entries).toEqual([
      expect.objectContaining({
        level: 'error',
        fields: expect.objectContaining({ error_name: 'ProxyHeaderError' }),
      }),
    ]);
  });

  it('cannot be checked without the options, and bearer tokens need no header of the proxy', async () => {
    const { ask, entries } = await startCheck(undefined);
    const answer = await ask(await sentBy(world.holder));
    expect(answer.status).toBe(401);
    expect(entries[0]?.fields?.['reason']).toBe('proof_not_checkable');
  });
});

// If one of these fails, the library has learned: say so in docs/platform-api.md.
it('is accepted as a bearer token by jose and aws-jwt-verify, as the page says', async () => {
  const { issuer, audience, token } = world;
  const read = async () => (await fetch(issuer + jwksPath)).json();
  const keys = createLocalJWKSet((await read()) as JSONWebKeySet);
  const { payload } = await jwtVerify(token, keys, { issuer, audience });
  const jwksUri = 'https://auth.example.com/jwks';
  const verifier = JwtVerifier.create({ issuer, audience, jwksUri });
  verifier.cacheJwks((await read()) as Parameters<typeof verifier.cacheJwks>[0]);
  expect(verifier.verifySync(token)['cnf']).toEqual(payload['cnf']);
  expect(payload['cnf']).toHaveProperty('jkt');
});
