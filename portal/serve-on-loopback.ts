import type { Management } from '../adapters/management.ts';
import type { Person } from './access/person.ts';
import { createPortal } from './create-portal.ts';
import { serveLoopback } from './loopback-server.ts';
import type { PortalOptions } from './portal-options.ts';
import { LinkSessions } from './session/link-sessions.ts';

/** Seconds. A link is printed to be used at once. */
const linkLifetime = 60;
const idleLimit = 30 * 60;
const sessionLifetime = 8 * 3600;

interface LoopbackPortalOptions extends Pick<PortalOptions, 'onRequest' | 'onFault' | 'clock'> {
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
 * Runs the portal on loopback for one user.
 *
 * @throws {Error} the system's own, with its `code`, if the port is not available.
 */
export async function servePortalOnLoopback(
  options: LoopbackPortalOptions,
): Promise<LoopbackPortal> {
  const { management, person, port, isLasting = false, clock, signInHint } = options;
  const forever = Number.MAX_SAFE_INTEGER;
  const limits = {
    person,
    clock,
    isReusable: isLasting,
    linkLifetime: isLasting ? forever : linkLifetime,
    idleLimit: isLasting ? forever : idleLimit,
    sessionLifetime: isLasting ? forever : sessionLifetime,
  };
  let createLink = () => '';
  const server = await serveLoopback({ port, hint: signInHint }, ({ origin, basePath }) => {
    const sessions = new LinkSessions(limits, basePath);
    createLink = () => sessions.createLink(origin);
    return createPortal({
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
  });
  const { origin, basePath, close } = server;
  return { origin, address: `${origin}${basePath}`, createLink: () => createLink(), close };
}
