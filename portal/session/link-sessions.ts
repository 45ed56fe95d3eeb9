import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { Person } from '../access/person.ts';

/** 256 bits cannot be guessed. */
const tokenBytes = 32;

/**
 * Maximum number of sessions. When it is reached, the oldest is removed. A user has a few browsers.
 */
const maxSessions = 20;

export interface LinkSessionOptions {
  /** The user who has the link. */
  readonly person: Person;
  /** Seconds for which a link can be used. */
  readonly linkLifetime: number;
  /** Whether a link can be used again, as long as it is valid. */
  readonly isReusable: boolean;
  /** Seconds without a request after which a session ends. */
  readonly idleLimit: number;
  /** Seconds after which a session ends in any case. */
  readonly sessionLifetime: number;
  /** Milliseconds since the epoch. */
  readonly clock?: (() => number) | undefined;
}

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

function readCookie(request: Request, name: string): string | undefined {
  const cookies = (request.headers.get('cookie') ?? '').split(';');
  const found = cookies.find((cookie) => cookie.trim().startsWith(`${name}=`));
  return found?.trim().slice(name.length + 1);
}

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
  readonly #cookie: string;
  #link: Link | undefined;

  /** @param port distinguishes the cookies of two portals on one machine. */
  constructor(options: LinkSessionOptions, port: number) {
    this.#options = options;
    this.#cookie = `portal-${port}`;
  }

  #now(): number {
    return Math.floor((this.#options.clock ?? Date.now)() / 1000);
  }

  /** A new link. The previous link becomes invalid. */
  createLink(origin: string): string {
    const token = randomBytes(tokenBytes).toString('base64url');
    const until = this.#now() + this.#options.linkLifetime;
    this.#link = { digest: digestOf(token), until };
    return `${origin}${linkPath}${token}`;
  }

  /** The user of a request, or a response if the request opens a link. */
  async identify(request: Request): Promise<Person | Response | undefined> {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith(linkPath) && request.method === 'GET') return this.#open(request);
    return this.#isOpen(request) ? this.#options.person : undefined;
  }

  #open(request: Request): Response | undefined {
    const token = new URL(request.url).pathname.slice(linkPath.length);
    const link = this.#link;
    if (link === undefined || link.until <= this.#now() || isPrefetch(request)) return undefined;
    if (!timingSafeEqual(digestOf(token), link.digest)) return undefined;
    if (!this.#options.isReusable) this.#link = undefined;
    return this.#toPortal(this.#begin());
  }

  #begin(): string {
    const session = randomBytes(tokenBytes).toString('base64url');
    const now = this.#now();
    this.#sessions.set(digestOf(session).toString('hex'), { begunAt: now, usedAt: now });
    return `${this.#cookie}=${session}; Path=/; HttpOnly; SameSite=Strict`;
  }

  #toPortal(cookie: string): Response {
    return new Response(null, { status: 303, headers: { Location: '/', 'Set-Cookie': cookie } });
  }

  #isOpen(request: Request): boolean {
    const cookie = readCookie(request, this.#cookie);
    if (cookie === undefined) return false;
    const id = digestOf(cookie).toString('hex');
    const session = this.#sessions.get(id);
    const now = this.#now();
    if (session === undefined) return false;
    const { idleLimit, sessionLifetime } = this.#options;
    if (now - session.usedAt > idleLimit || now - session.begunAt > sessionLifetime) {
      this.#sessions.delete(id);
      return false;
    }
    session.usedAt = now;
    return true;
  }

  /** Ends the session of a request. */
  async signOut(request: Request): Promise<Response> {
    const cookie = readCookie(request, this.#cookie);
    if (cookie !== undefined) this.#sessions.delete(digestOf(cookie).toString('hex'));
    return this.#toPortal(`${this.#cookie}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`);
  }
}
