import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Management } from '../adapters/management.ts';
import { BoundedMap } from '../core/bounded-map.ts';
import type { Person } from './access/guarded-management.ts';
import { createPortal } from './create-portal.ts';
import { isOwnHost, withSecurityHeaders } from './guards/security-headers.ts';
import type { Portal, PortalOptions } from './portal-options.ts';
import { readCookies } from './session/cookies.ts';

/** Seconds. A link is printed to be used at once. */
const linkLifetime = 60;
/** Seconds without a request after which a session ends. */
const idleTime = 30 * 60;
/** Seconds after which it ends in any case. */
const sessionLifetime = 8 * 3600;

interface LoopbackPortalOptions extends Pick<PortalOptions, 'onRequest' | 'onFault' | 'clock'> {
  readonly management: Management;
  /** The user who has the link. */
  readonly person: Person;
  /** 0 selects a free one. */
  readonly port: number;
  /** Whether the link and the sessions are valid for as long as the portal runs. */
  readonly isLasting?: boolean | undefined;
  readonly signInHint: string;
}

export type LoopbackPortal = Readonly<Awaited<ReturnType<typeof servePortalOnLoopback>>>;

/**
 * Runs the portal on loopback for one user.
 *
 * @throws {Error} the system's own, with its `code`, if the port is not available.
 */
export async function servePortalOnLoopback(options: LoopbackPortalOptions) {
  const { port, signInHint } = options;
  let createLink = () => '';
  const server = await serveLoopback({ port, hint: signInHint }, ({ origin, basePath }) => {
    const sessions = new LinkSessions(options, basePath);
    createLink = () => sessions.createLink(origin);
    return createPortal({
      ...options,
      origins: [origin],
      basePath,
      identify: (request) => sessions.identify(request),
      signOut: (request) => sessions.signOut(request),
    });
  });
  const { origin, basePath, close } = server;
  return {
    origin,
    /** The first page: the origin and a path that cannot be guessed. */
    address: `${origin}${basePath}`,
    /** A new link into the portal. */
    createLink: () => createLink(),
    close,
  };
}

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
) {
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

/** 256 bits cannot be guessed. */
const tokenBytes = 32;

/**
 * Maximum number of sessions. When it is reached, the oldest is removed. A user has a few browsers.
 */
const maxSessions = 20;

type LinkSessionOptions = Pick<LoopbackPortalOptions, 'person' | 'isLasting' | 'clock'>;

interface Session {
  readonly begunAt: number;
  usedAt: number;
}

interface Link {
  readonly digest: Buffer;
  readonly until: number;
}

/** The digest is enough to recognise a token, and useless to a reader of this memory. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

const cookieName = 'portal';

/** The path that a link leads to: `/enter/` and its token. */
const linkPath = '/enter/';

/** A browser that prefetches pages must not use up the link. */
function isPrefetch(request: Request): boolean {
  return (request.headers.get('sec-purpose') ?? '').includes('prefetch');
}

/**
 * Sessions of one user on one machine. The link identifies the user, because it is printed on the
 * user's own terminal. The browser exchanges it for a cookie, so the address of a page never
 * contains the token.
 */
export class LinkSessions {
  readonly #options: LinkSessionOptions;
  readonly #sessions = new BoundedMap<string, Session>(maxSessions);
  readonly #basePath: string;
  #link: Link | undefined;

  /**
   * @param basePath limits the cookie. A browser sends the cookies of an address to each of its
   * ports, so another server on this machine would get a cookie whose path it can guess.
   */
  constructor(options: LinkSessionOptions, basePath: string) {
    this.#options = options;
    this.#basePath = basePath;
  }

  #now(): number {
    return Math.floor((this.#options.clock ?? Date.now)() / 1000);
  }

  /** A new link. The previous link becomes invalid. */
  createLink(origin: string): string {
    const token = randomBytes(tokenBytes).toString('base64url');
    this.#link = { digest: digestOf(token), until: this.#now() + linkLifetime };
    return `${origin}${this.#basePath}${linkPath}${token}`;
  }

  /** The user of a request, or a response if the request opens a link. */
  async identify(request: Request): Promise<Person | Response | undefined> {
    const path = this.#pathOf(request);
    if (path.startsWith(linkPath) && request.method === 'GET') return this.#open(request);
    return this.#isOpen(request) ? this.#options.person : undefined;
  }

  #pathOf(request: Request): string {
    const { pathname } = new URL(request.url);
    return pathname.startsWith(`${this.#basePath}/`) ? pathname.slice(this.#basePath.length) : '';
  }

  #open(request: Request): Response | undefined {
    const token = this.#pathOf(request).slice(linkPath.length);
    const link = this.#link;
    const { isLasting = false } = this.#options;
    if (link === undefined || isPrefetch(request)) return undefined;
    if (link.until <= this.#now() && !isLasting) return undefined;
    if (!timingSafeEqual(digestOf(token), link.digest)) return undefined;
    if (!isLasting) this.#link = undefined;
    return this.#toPortal(this.#begin());
  }

  #begin(): string {
    const session = randomBytes(tokenBytes).toString('base64url');
    const now = this.#now();
    this.#sessions.set(digestOf(session).toString('hex'), { begunAt: now, usedAt: now });
    return this.#cookieOf(session);
  }

  #cookieOf(value: string, more = ''): string {
    return `${cookieName}=${value}; Path=${this.#basePath}/; HttpOnly; SameSite=Strict${more}`;
  }

  #toPortal(cookie: string): Response {
    const headers = { Location: `${this.#basePath}/`, 'Set-Cookie': cookie };
    return new Response(null, { status: 303, headers });
  }

  #isOpen(request: Request): boolean {
    const cookie = readCookies(request).get(cookieName);
    if (cookie === undefined) return false;
    const id = digestOf(cookie).toString('hex');
    const session = this.#sessions.get(id);
    const now = this.#now();
    if (session === undefined) return false;
    const isOver = now - session.usedAt > idleTime || now - session.begunAt > sessionLifetime;
    if (isOver && this.#options.isLasting !== true) {
      this.#sessions.delete(id);
      return false;
    }
    session.usedAt = now;
    return true;
  }

  /** Ends the session of a request. */
  async signOut(request: Request): Promise<Response> {
    const cookie = readCookies(request).get(cookieName);
    if (cookie !== undefined) this.#sessions.delete(digestOf(cookie).toString('hex'));
    return this.#toPortal(this.#cookieOf('', '; Max-Age=0'));
  }
}
