import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { Person } from '../access/person.ts';
import { readCookies } from './cookies.ts';

/** 256 bits cannot be guessed. */
const tokenBytes = 32;

/**
 * Maximum number of sessions. When it is reached, the oldest is removed. A user has a few browsers.
 */
const maxSessions = 20;

interface LinkSessionOptions {
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
    const until = this.#now() + this.#options.linkLifetime;
    this.#link = { digest: digestOf(token), until };
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
    if (link === undefined || link.until <= this.#now() || isPrefetch(request)) return undefined;
    if (!timingSafeEqual(digestOf(token), link.digest)) return undefined;
    if (!this.#options.isReusable) this.#link = undefined;
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
    const cookie = readCookies(request).get(cookieName);
    if (cookie !== undefined) this.#sessions.delete(digestOf(cookie).toString('hex'));
    return this.#toPortal(this.#cookieOf('', '; Max-Age=0'));
  }
}
