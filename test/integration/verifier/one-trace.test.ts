import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { Hono } from 'hono';
import { expect, it, onTestFinished, vi } from 'vitest';
import { stepLimit } from '../../../lab/support/hang-limit.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { createExpressMiddleware } from '../../../verifier/express.ts';
import { createHonoMiddleware } from '../../../verifier/hono.ts';
import { createVerifier } from '../../../verifier/verifier.ts';
import { useLocalService } from '../lab/local/use-local-service.ts';
import { useForwardAuth } from './forward-auth/use-forward-auth.ts';

const service = useLocalService();
const check = useForwardAuth(service, ['--tables', 'local', '--log', 'all']);

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01` };

interface Line {
  readonly [name: string]: unknown;
}

const withTrace = (lines: readonly Line[]) =>
  lines
    .filter(({ trace_id: id }) => id === trace)
    .map((line) => [line['service'], line['outcome']]);

async function askForToken(): Promise<string> {
  const { clientId, clientSecret, tokenUrl } = service();
  const answer = await fetch(tokenUrl, {
    method: 'POST',
    headers: { ...headers, Authorization: basic(clientId, clientSecret) },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'messaging:view' }),
  });
  return ((await answer.json()) as { readonly access_token: string }).access_token;
}

it('finds the line of a token and those of the API that it was sent to by one id', async () => {
  const authorization = { ...headers, Authorization: `Bearer ${await askForToken()}` };
  const { exampleUrl, paths } = service();
  expect((await fetch(exampleUrl, { headers: authorization })).status).toBe(200);
  expect((await fetch(exampleUrl, { method: 'POST', headers: authorization })).status).toBe(403);
  const lines = await vi.waitFor(() => {
    const text = readFileSync(paths.log, 'utf8').trim().split('\n');
    const found = withTrace(text.map((line) => JSON.parse(line) as Line));
    expect(found.length).toBeGreaterThanOrEqual(3);
    return found;
  }, stepLimit);
  expect(lines).toEqual([
    ['token', 'issued'],
    ['authorizer', 'allowed'],
    ['authorizer', 'insufficient_scope'],
  ]);

  for (const scope of ['messaging:view', 'calls:manage']) {
    await fetch(`${check().address}/verify/${scope}`, { headers: authorization });
  }
  await check().waitFor({ message: 'accepted', trace_id: trace });
  await check().waitFor({ message: 'insufficient_scope', trace_id: trace });
});

it('is in the line that the library writes of a refusal', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  const { environment, issuer } = service();
  const verifier = createVerifier({ issuer, audience: environment['AUDIENCE'] ?? '' });
  const app = express();
  app.get('/', createExpressMiddleware(verifier).requireCredential());
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { headers });
  const hono = new Hono();
  hono.get('/', createHonoMiddleware(verifier).requireCredential());
  await hono.request('/', { headers });
  const lines = write.mock.calls.map(([text]) => JSON.parse(String(text)) as Line);
  expect(lines).toMatchObject([
    { message: 'no_credential', trace_id: trace },
    { message: 'no_credential', trace_id: trace },
  ]);
});
