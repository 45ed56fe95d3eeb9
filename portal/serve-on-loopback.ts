import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Management } from '../adapters/management.ts';
import type { Person } from './access/person.ts';
import { createPortal } from './create-portal.ts';
import type { Portal, PortalOptions } from './portal-options.ts';
import { LinkSessions } from './session/link-sessions.ts';

/**
 * The name is the address itself, because a browser sends cookies of `localhost` to every server
 * with that name, regardless of its port.
 */
const host = '127.0.0.1';

/**
 * Milliseconds for the headers of a request, and for the whole request: forms are small and local.
 */
const headersTimeout = 5000;
const requestTimeout = 10_000;

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
  /** A new link into the portal. */
  readonly createLink: () => string;
  readonly close: () => Promise<void>;
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
  const { management, person, isLasting = false, clock } = options;
  let portal: Portal | undefined;
  const listener = getRequestListener(
    async (request) => portal?.fetch(request) ?? new Response(null, { status: 503 }),
  );
  const server = createServer({ headersTimeout, requestTimeout }, (request, response) => {
    void listener(request, response);
  });
  const port = await listen(server, options.port);
  const origin = `http://${host}:${port}`;
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
    port,
  );
  portal = createPortal({
    management,
    origins: [origin],
    identify: (request) => sessions.identify(request),
    signOut: (request) => sessions.signOut(request),
    signInHint: options.signInHint,
    onRequest: options.onRequest,
    onFault: options.onFault,
    clock,
  });
  return {
    origin,
    createLink: () => sessions.createLink(origin),
    close: () => close(server),
  };
}
