import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import {
  callerOf as callerOfExpress,
  createExpressMiddleware,
} from '../../../../verifier/express.ts';
import { callerOf as callerOfFastify, createFastifyHooks } from '../../../../verifier/fastify.ts';
import { callerOf as callerOfHono, createHonoMiddleware } from '../../../../verifier/hono.ts';
import type { Verifier } from '../../../../verifier/verifier.ts';

/** What the services tell their tests. */
interface Observed {
  /** Requests that the middleware did not let through. */
  readonly notAccepted: unknown[];
  /** Whether addresses come from X-Real-IP, as behind a proxy, or from the peer. */
  readonly behindProxy: boolean;
  /** Whether the service serves the metadata of the verifier's resource. */
  readonly servesMetadata?: boolean;
}

export interface RunningService {
  readonly address: string;
  readonly close: () => void;
}

/**
 * One service in each framework: GET /messages requires `messaging:view`, GET /status any
 * credential; GET /open has no middleware and asks who calls nevertheless; GET /failing throws.
 */
export const frameworks: Readonly<
  Record<string, (verifier: Verifier, observed: Observed) => Promise<RunningService>>
> = {
  async Express(verifier, { notAccepted, behindProxy, servesMetadata = false }) {
    const { requireScopes, requireCredential, resourceMetadata } = createExpressMiddleware(
      verifier,
      {
        onNotAccepted: (error) => notAccepted.push(error),
        ...(behindProxy && { sourceAddress: (request) => String(request.headers['x-real-ip']) }),
      },
    );
    const app = express();
    if (servesMetadata) app.use(resourceMetadata());
    app.get('/messages', requireScopes('messaging:view'), (request, response) => {
      response.json(callerOfExpress(request));
    });
    app.get('/status', requireCredential(), (request, response) => {
      response.json(callerOfExpress(request));
    });
    app.get('/open', (request, response) => {
      response.json(callerOfExpress(request));
    });
    app.get('/failing', requireCredential(), () => {
      throw new Error('of the service');
    });
    app.use((_error: unknown, _request: unknown, response: express.Response, _next: unknown) => {
      response.status(500).json({ error: 'of the service' });
    });
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return { address: `http://127.0.0.1:${port}`, close: () => void server.close() };
  },

  async Fastify(verifier, { notAccepted, behindProxy, servesMetadata = false }) {
    const { requireScopes, requireCredential, resourceMetadata } = createFastifyHooks(verifier, {
      onNotAccepted: (error) => notAccepted.push(error),
      ...(behindProxy && { sourceAddress: ({ raw }) => String(raw.headers['x-real-ip']) }),
    });
    const app = fastify();
    if (servesMetadata) app.addHook('onRequest', resourceMetadata());
    const view = { onRequest: requireScopes('messaging:view') };
    const any = { preHandler: requireCredential() };
    app.get('/messages', view, (request) => Promise.resolve(callerOfFastify(request)));
    app.get('/status', any, (request) => Promise.resolve(callerOfFastify(request)));
    app.get('/open', (request) => Promise.resolve(callerOfFastify(request)));
    app.get('/failing', any, () => {
      throw new Error('of the service');
    });
    app.setErrorHandler((_error, _request, reply) =>
      reply.code(500).send({ error: 'of the service' }),
    );
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    return { address, close: () => void app.close() };
  },

  async Hono(verifier, { notAccepted, behindProxy, servesMetadata = false }) {
    const { requireScopes, requireCredential, resourceMetadata } = createHonoMiddleware(verifier, {
      onNotAccepted: (error) => notAccepted.push(error),
      ...(behindProxy && {
        sourceAddress: ({ req }) => req.raw.headers.get('x-real-ip') ?? undefined,
      }),
    });
    const app = new Hono();
    if (servesMetadata) app.use(resourceMetadata());
    app.get('/messages', requireScopes('messaging:view'), (c) => c.json(callerOfHono(c)));
    app.get('/status', requireCredential(), (c) => c.json(callerOfHono(c)));
    app.get('/open', (c) => c.json(callerOfHono(c)));
    app.get('/failing', requireCredential(), () => {
      throw new Error('of the service');
    });
    app.onError((_error, c) => c.json({ error: 'of the service' }, 500));
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return { address: `http://127.0.0.1:${port}`, close: () => void server.close() };
  },
};
