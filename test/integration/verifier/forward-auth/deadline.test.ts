import { createServer } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { bearerErrorResponse } from '../../../../core/verifier/challenge.ts';
import { listenOnLoopback } from '../../../../lab/emulator/loopback-server.ts';
import { createDecisionLog } from '../../../../verifier/forward-auth/decision-log.ts';
import { createHandler } from '../../../../verifier/forward-auth/handler.ts';
import type { Verifier } from '../../../../verifier/verifier.ts';

afterEach(() => vi.restoreAllMocks());

it('gives every look-up of a request the same deadline, regardless of when it begins', async () => {
  const signals: unknown[] = [];
  const verifier: Verifier = {
    verify: async (request) => {
      signals.push(request.signal);
      vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
      signals.push(request.signal);
      throw new Error('no decision');
    },
    toResponse: (error) => bearerErrorResponse(error),
    preload: async () => undefined,
  };
  const log = createDecisionLog('none', () => undefined);
  const handler = createHandler({
    verifier,
    log,
    clientAddressHeader: undefined,
    notReady: () => undefined,
  });
  const server = createServer(handler);
  await listenOnLoopback(server);
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  await fetch(`http://127.0.0.1:${port}/verify/-`);
  server.close();
  expect(signals).toHaveLength(2);
  expect(signals[0]).toBeInstanceOf(AbortSignal);
  expect(signals[1]).toBe(signals[0]);
});
