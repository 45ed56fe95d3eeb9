import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tokenPath } from '../../../contract/routes.ts';
import {
  createLoopbackCertificate,
  type LoopbackCertificate,
  serveHttps,
} from '../../support/loopback-https.ts';
import type { Command } from '../../support/run-command.ts';
import { type Trust, trustVariables } from '../../support/runtimes.ts';
import { type Answer, startProgram } from '../interop/running-program.ts';

/** Callers of one token cache at once. */
export const manyCallers = 300;

/** What the token endpoint answers: seconds for which a token lives, or a status to wait after. */
type Scripted = { readonly expiresIn: number } | { readonly status: 429 | 503 };

const hour: Scripted = { expiresIn: 3600 };
/** So little is left of it that the next call renews it. */
const atItsEnd: Scripted = { expiresIn: 60 };

/** So long is a token request on its way that callers of a cache that shares nothing send theirs. */
const onItsWay = 50;

/** A token endpoint that answers as it is told, and an API that refuses the tokens it is told. */
async function startScriptedService(certificate: LoopbackCertificate) {
  let script: Scripted[] = [];
  let made = 0;
  let refusedUpTo = 0;
  const requestedAt: number[] = [];
  const answer = (response: ServerResponse, status: number, body: object) => {
    const wait = [429, 503].includes(status) ? { 'retry-after': '1' } : {};
    response.writeHead(status, { 'content-type': 'application/json', ...wait });
    response.end(JSON.stringify(body));
  };
  const answerTokenRequest = async (response: ServerResponse) => {
    requestedAt.push(performance.now());
    const next = script.shift() ?? hour;
    await sleep(onItsWay);
    if ('status' in next) return answer(response, next.status, { error: 'slow_down' });
    made += 1;
    const token = { access_token: `token-${made}`, token_type: 'Bearer', scope: 'messaging:view' };
    return answer(response, 200, { ...token, expires_in: next.expiresIn });
  };
  const server = await serveHttps(certificate, (request: IncomingMessage, response) => {
    request.resume();
    if (request.url === tokenPath) return void answerTokenRequest(response);
    if (request.url !== '/messages')
      return answer(response, 200, { issuer, token_endpoint: issuer + tokenPath });
    const number = Number(request.headers.authorization?.replace('Bearer token-', ''));
    return answer(response, number > refusedUpTo ? 200 : 401, {});
  });
  const issuer = `https://localhost:${server.port}`;
  return {
    environment: {
      ISSUER: issuer,
      TOKEN_URL: issuer + tokenPath,
      EXAMPLE_URL: `${issuer}/messages`,
      CLIENT_ID: 'client_0000000000000000000001',
      CLIENT_SECRET: 'secret_of_no_client',
    },
    close: server.close,
    /** What the token endpoint answers next; tokens of an hour after that. */
    play: (...next: readonly Scripted[]) => {
      script = [...next];
    },
    /** The API refuses every token that was made so far, and so many that will be made. */
    refuseTokens: (more = 0) => {
      refusedUpTo = made + more;
    },
    /** When token requests came since the last call, in milliseconds. */
    takeRequests: () => requestedAt.splice(0),
  };
}

type ScriptedService = Awaited<ReturnType<typeof startScriptedService>>;

/** Calls the API so many times at once. @returns when token requests came. */
type Call = (count: number) => Promise<readonly number[]>;

/** One request each at the start, at a token's end and after a refusal; and what follows 429 and 503. */
async function checkCalls(
  service: ScriptedService,
  withCalls: (use: (call: Call) => Promise<void>) => Promise<void>,
): Promise<void> {
  await withCalls(async (call) => {
    assert.equal((await call(manyCallers)).length, 1, 'token requests at the start');
  });
  service.play(atItsEnd);
  await withCalls(async (call) => {
    assert.equal((await call(1)).length, 1, 'token requests of one call');
    assert.equal((await call(manyCallers)).length, 1, "token requests at a token's end");
    service.refuseTokens();
    assert.equal((await call(manyCallers)).length, 1, 'token requests after a refusal');
  });
  for (const status of [429, 503] as const) {
    service.play({ status }, hour);
    await withCalls(async (call) => {
      const [first = 0, second = 0, ...more] = await call(manyCallers);
      assert.equal(more.length, 0, `token requests after ${status}`);
      assert.ok(second - first >= 1000, `${second - first} ms after ${status}, Retry-After: 1`);
    });
  }
}

/** Runs a scripted service with a certificate of its own. */
export async function withScriptedService(
  use: (service: ScriptedService, trust: Trust) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'callers-'));
  const certificate = await createLoopbackCertificate();
  const caPath = join(directory, 'ca.pem');
  writeFileSync(caPath, certificate.cert);
  const service = await startScriptedService(certificate);
  try {
    await use(service, { caPath, directory });
  } finally {
    await service.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @param prepare makes a program of the folder callers ready, with the example that it calls. */
export function checkCallers(prepare: (trust: Trust) => Promise<Command>): Promise<void> {
  return withScriptedService(async (service, trust) => {
    const command = await prepare(trust);
    const environment = { ...service.environment, ...trustVariables(trust.caPath) };
    await checkCalls(service, async (use) => {
      const program = startProgram<{ readonly count: number }, Answer>(command, environment);
      try {
        await use(async (count) => {
          const { ok, why } = await program.ask({ count });
          assert.ok(ok, `${count} calls at once: ${why}`);
          return service.takeRequests();
        });
      } finally {
        await program.close();
      }
    });
  });
}
