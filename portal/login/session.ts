import { type Person, type Role, roles } from '../access/person.ts';
import { maxCookieBytes, readCookies, setCookie } from '../session/cookies.ts';
import type { LoginContext } from './login-context.ts';
import type { Access } from './people.ts';
import { seal, unseal } from './sealing.ts';

/** A person who signed in. It is kept in a sealed cookie; the portal stores nothing. */
export interface Session extends Access {
  /** The person is an issuer and a subject there. */
  readonly issuer: string;
  readonly subject: string;
  /** When the claims were read, in seconds since the epoch. */
  readonly begunAt: number;
  /** When the last request came, with the precision of {@link renewAfter}. */
  readonly usedAt: number;
  /** When the person gave credentials to the provider; undefined if the provider does not tell. */
  readonly authenticatedAt: number | undefined;
  /** Sessions of an earlier epoch of the config have ended. */
  readonly epoch: number;
}

/** Limits in seconds. */
export const sessionLimits = {
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
  if (now - usedAt > sessionLimits.idle) return 'idle';
  return now - begunAt > sessionLimits.total ? 'over' : 'open';
}

export function isRecent(session: Session, now: number, limit: number): boolean {
  const { authenticatedAt } = session;
  return authenticatedAt !== undefined && now - authenticatedAt <= limit;
}

/** As a list, because the names of members would make a third of the cookie. */
export function toStored(session: Session): readonly unknown[] {
  const { issuer, subject, name, role, trunkGroups, begunAt, usedAt, authenticatedAt, epoch } =
    session;
  return [
    issuer,
    subject,
    name,
    roles.indexOf(role),
    trunkGroups ?? null,
    begunAt,
    usedAt,
    authenticatedAt ?? null,
    epoch,
  ];
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTime = (value: unknown): value is number => Number.isSafeInteger(value);

/** The role of a number, which a later release may not know. */
function roleAt(index: unknown): Role | undefined {
  return isTime(index) ? roles[index] : undefined;
}

function readGroups(value: unknown): readonly string[] | null | undefined {
  if (value === null) return null;
  return Array.isArray(value) && value.every(isText) ? value : undefined;
}

/** @returns undefined for anything but a session of this release. */
function fromStored(value: unknown): Session | undefined {
  if (!Array.isArray(value) || value.length !== 9) return undefined;
  const [issuer, subject, name, index, groups, begunAt, usedAt, authenticatedAt, epoch] =
    value as readonly unknown[];
  const [role, trunkGroups] = [roleAt(index), readGroups(groups)];
  if (!isText(issuer) || !isText(subject) || !isText(name)) return undefined;
  if (!isTime(begunAt) || !isTime(usedAt) || !isTime(epoch)) return undefined;
  if (role === undefined || trunkGroups === undefined) return undefined;
  if (authenticatedAt !== null && !isTime(authenticatedAt)) return undefined;
  // Only an administrator is without a limit. A list that got lost must not become one.
  if ((trunkGroups === null) !== (role === 'administrator')) return undefined;
  return {
    issuer,
    subject,
    name,
    role,
    trunkGroups: trunkGroups ?? undefined,
    begunAt,
    usedAt,
    authenticatedAt: authenticatedAt ?? undefined,
    epoch,
  };
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
const purpose = 'session';

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
    const session = fromStored(unseal(await options.keys(), purpose, text));
    return session?.issuer === options.provider.issuer ? session : undefined;
  }

  /** @returns undefined if the session does not fit into a cookie. */
  async write(session: Session): Promise<string | undefined> {
    const { scope, options } = this.#login;
    const value = seal(await options.keys(), purpose, toStored(session));
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
