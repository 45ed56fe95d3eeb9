import * as v from 'valibot';
import { type Person, roles } from '../access/guarded-management.ts';
import { maxCookieBytes, readCookies, setCookie } from '../session/cookies.ts';
import type { LoginContext } from './login-context.ts';
import { sealedRecord } from './sealing.ts';

const time = v.pipe(v.number(), v.safeInteger());

/** A person who signed in. It is kept in a sealed cookie; the portal stores nothing. */
const sealedSession = sealedRecord('session', {
  /** The person is an issuer and a subject there. */
  issuer: v.string(),
  subject: v.string(),
  name: v.string(),
  role: v.picklist(roles),
  /** Undefined for an administrator: every group. */
  trunkGroups: v.optional(v.pipe(v.array(v.string()), v.readonly())),
  /** When the claims were read, in seconds since the epoch. */
  begunAt: time,
  /** When the last request came, with the precision of {@link renewAfter}. */
  usedAt: time,
  /** When the person gave credentials to the provider; undefined if the provider does not tell. */
  authenticatedAt: v.optional(time),
  /** Sessions of an earlier epoch of the config have ended. */
  epoch: time,
});

export type Session = Readonly<Parameters<typeof sealedSession.seal>[1]>;

/** In seconds. */
export const sessionTimes = {
  /** Without a request, a session ends. */
  idle: 30 * 60,
  /** After it, the provider is asked again. A copied cookie, or a role that was removed, ends then. */
  total: 30 * 60,
  /** A credential is created only by a person who signed in this recently. */
  recentLogin: 10 * 60,
  /** Its form asks for a login that leaves this much time for the form. */
  recentLoginOfForm: 5 * 60,
} as const;

/** Seconds. A cookie in every response would be waste. */
export const renewAfter = 60;

/** Clocks of the portal's instances, and that of the provider, differ by less. */
const maxAhead = 60;

/**
 * The claim `auth_time`.
 *
 * @returns undefined for a time in the future, which would stay recent until it comes.
 */
export function readAuthTime(claim: unknown, now: number): number | undefined {
  if (typeof claim !== 'number' || claim > now + maxAhead) return undefined;
  return Math.min(Math.floor(claim), now);
}

type State = 'open' | 'idle' | 'over' | 'closed';

/** `closed`: it cannot be continued, not even by a silent login. */
export function stateOf(session: Session, now: number, epoch: number): State {
  const { begunAt, usedAt } = session;
  if (session.epoch !== epoch || begunAt > now + maxAhead) return 'closed';
  if (now - usedAt > sessionTimes.idle) return 'idle';
  return now - begunAt > sessionTimes.total ? 'over' : 'open';
}

export function isRecent(session: Session, now: number, longest: number): boolean {
  const { authenticatedAt } = session;
  return authenticatedAt !== undefined && now - authenticatedAt <= longest;
}

/** A subject without spaces and other characters that an actor cannot have. */
function encodeSubject(subject: string): string {
  return subject.toWellFormed().replaceAll(/[^\x21-\x24\x26-\x7E]/gu, encodeURIComponent);
}

/** The actor in the audit is issuer and subject: names change, and can be given to another person. */
export function personOf({ issuer, subject, name, role, trunkGroups }: Session): Person {
  return { name, role, trunkGroups, actor: async () => `${issuer}#${encodeSubject(subject)}` };
}

const name = 'session';

/** The cookie that holds a session, sealed. */
export class SessionCookie {
  readonly #login: LoginContext;

  constructor(login: LoginContext) {
    this.#login = login;
  }

  /** The session of a request, open or not; undefined if it is not one of this login. */
  async read(request: Request): Promise<Session | undefined> {
    const { scope, options } = this.#login;
    const text = readCookies(request).get(scope.prefix + name);
    if (text === undefined) return undefined;
    const session = sealedSession.unseal(await options.keys(), text);
    if (session?.issuer !== options.provider.issuer) return undefined;
    // Only an administrator has every trunk group. A list that got lost must not mean that.
    const isUnrestricted = session.trunkGroups === undefined;
    return isUnrestricted === (session.role === 'administrator') ? session : undefined;
  }

  /** @returns undefined if the session does not fit into a cookie. */
  async write(session: Session): Promise<string | undefined> {
    const { scope, options } = this.#login;
    const value = sealedSession.seal(await options.keys(), session);
    return value.length + name.length > maxCookieBytes ? undefined : setCookie(scope, name, value);
  }

  /** Whether a response sets or removes the cookie. */
  isIn(response: Response): boolean {
    const start = `${this.#login.scope.prefix}${name}=`;
    return response.headers.getSetCookie().some((cookie) => cookie.startsWith(start));
  }

  remove(): string {
    return setCookie(this.#login.scope, name, '', 0);
  }
}
