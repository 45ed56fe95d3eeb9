import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Management } from '../adapters/management.ts';
import type { Person } from './access/person.ts';
import { createPortal } from './create-portal.ts';
import { isOwnHost } from './guards/host.ts';
import { withSecurityHeaders } from './guards/security-headers.ts';
import type { Portal, PortalOptions } from './portal-options.ts';
import { LinkSessions } from './session/link-sessions.ts';

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

/** Seconds. A link is printed to be used at once. */
const linkLifetime = 60;
const idleLimit = 30 * 60;
const sessionLifetime = 8 * 3600;

export interface LoopbackPortalOptions
  extends Pick<PortalOptions, 'onRequest' | 'onFault' | 'clock'> {
  readonly management: Management;
  readonly person: Person;
  /** 0 selects a free one. */
  readonly port: number;
  /** Whether the link and the sessions are valid for as long as the portal runs. */
  readonly isLasting?: boolean | undefined;
  readonly signInHint: string;
}

export interface LoopbackPortal {
  readonly origin: string;
  /** The first page: the origin and a path that cannot be guessed. */
  readonly address: string;
  /** A new link into the portal. */
  readonly createLink: () => string;
  readonly close: () => Promise<void>;
}

/**
 * Requests outside of the portal's path. The response must not tell the path, because another
 * server on this machine can ask for it.
 */
function refuseElsewhere(request: Request, origin: string, signInHint: string): Response {
  const isOwn = isOwnHost(request, [origin]);
  const text = isOwn ? `You are not signed in. ${signInHint}` : `The portal is at ${origin}.`;
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
 * Runs the portal on loopback for one user.
 *
 * @throws {Error} the system's own, with its `code`, if the port is not available.
 */
export async function servePortalOnLoopback(
  options: LoopbackPortalOptions,
): Promise<LoopbackPortal> {
  const { management, person, isLasting = false, clock, signInHint } = options;
  const basePath = `/${randomBytes(pathBytes).toString('base64url')}`;
  let origin = '';
  let portal: Portal | undefined;
  const listener = getRequestListener(async (request) => {
    const isWithin = new URL(request.url).pathname.startsWith(`${basePath}/`);
    if (!isWithin) return refuseElsewhere(request, origin, signInHint);
    return portal?.fetch(request) ?? new Response(null, { status: 503 });
  });
  const server = createServer(
    { headersTimeout, requestTimeout, connectionsCheckingInterval },
    (request, response) => {
      void listener(request, response);
    },
  );
  const port = await listen(server, options.port);
  origin = `http://${host}:${port}`;
  const forever = Number.MAX_SAFE_INTEGER;
  const sessions = new LinkSessions(
    {
      person,
      clock,
      isReusable: isLasting,
      linkLifetime: isLasting ? forever : linkLifetime,
      idleLimit: isLasting ? forever : idleLimit,
      sessionLifetime: isLasting ? forever : sessionLifetime,
    },
    basePath,
  );
  portal = createPortal({
    management,
    origins: [origin],
    basePath,
    identify: (request) => sessions.identify(request),
    signOut: (request) => sessions.signOut(request),
    signInHint,
    onRequest: options.onRequest,
    onFault: options.onFault,
    clock,
  });
  return {
    origin,
    address: `${origin}${basePath}`,
    createLink: () => sessions.createLink(origin),
    close: () => close(server),
  };
}
