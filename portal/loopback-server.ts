import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { isOwnHost, withSecurityHeaders } from './guards/security-headers.ts';
import type { Portal } from './portal-options.ts';

const host = '127.0.0.1';

/**
 * Milliseconds for the headers of a request, and for the whole request: forms are small and local.
 */
const headersTimeout = 5000;
const requestTimeout = 10_000;

/** Milliseconds. By default, Node looks for requests that are too slow only every 30 seconds. */
const connectionsCheckingInterval = 1000;

/** 128 bits cannot be guessed, and a browser shows the path in its address bar. */
const pathBytes = 16;

/** Where a portal on loopback is. */
interface LoopbackPlace {
  readonly origin: string;
  /** A path that cannot be guessed. */
  readonly basePath: string;
}

export interface LoopbackServer extends LoopbackPlace {
  readonly close: () => Promise<void>;
}

/**
 * Requests outside of the portal's path. The response must not tell the path, because another
 * server on this machine can ask for it.
 */
function refuseElsewhere(request: Request, origin: string, hint: string): Response {
  const isOwn = isOwnHost(request, [origin]);
  const text = isOwn ? `You are not signed in. ${hint}` : `The portal is at ${origin}.`;
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
  return withSecurityHeaders(new Response(`${text}\n`, { status: isOwn ? 401 : 421, headers }));
}

async function listen(server: Server, port: number): Promise<number> {
  await once(server.listen({ host, port }), 'listening');
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeAllConnections();
  await closed;
}

/**
 * Serves a portal on loopback.
 *
 * @param options `port` 0 selects a free one; `hint` is shown outside of the portal's path.
 * @param create makes the portal when its place is known.
 * @throws {Error} the system's own, with its `code`, if the port is not available.
 */
export async function serveLoopback(
  options: { readonly port: number; readonly hint: string },
  create: (place: LoopbackPlace) => Portal | Promise<Portal>,
): Promise<LoopbackServer> {
  const basePath = `/${randomBytes(pathBytes).toString('base64url')}`;
  let origin = '';
  let portal: Portal | undefined;
  const listener = getRequestListener(async (request) => {
    const isWithin = new URL(request.url).pathname.startsWith(`${basePath}/`);
    if (!isWithin) return refuseElsewhere(request, origin, options.hint);
    return portal?.fetch(request) ?? new Response(null, { status: 503 });
  });
  const limits = { headersTimeout, requestTimeout, connectionsCheckingInterval };
  const server = createServer(limits, (request, response) => {
    void listener(request, response);
  });
  origin = `http://${host}:${await listen(server, options.port)}`;
  portal = await create({ origin, basePath });
  return { origin, basePath, close: () => close(server) };
}
