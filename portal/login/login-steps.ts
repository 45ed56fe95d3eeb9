import { createHash, randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { type CookieScope, readCookies, setCookie } from '../session/cookies.ts';
import { type LoginContext, redirect, withCookies } from './login-context.ts';
import {
  loginErrorPage,
  noAccessPage,
  notRecentPage,
  oldAttemptPage,
  tooLargePage,
} from './login-pages.ts';
import { LoginError, loginKinds } from './login-provider.ts';
import { type Access, type Claims, findAccess, nameOf } from './people.ts';
import { type SealingKeys, sealedRecord } from './sealing.ts';
import {
  isRecent,
  readAuthTime,
  type Session,
  type SessionCookie,
  sessionTimes,
} from './session.ts';

/** A login that a browser began, in a sealed cookie until the browser comes back. */
const sealedAttempt = sealedRecord('login', {
  state: v.string(),
  nonce: v.string(),
  codeVerifier: v.string(),
  kind: v.picklist(loginKinds),
  /** Where the person wanted to go: a path of the portal. */
  returnTo: v.string(),
  startedAt: v.number(),
  /** The person whose session a silent login continues; another one must sign in. */
  subject: v.optional(v.string()),
});

type LoginAttempt = Readonly<Parameters<typeof sealedAttempt.seal>[1]>;

/** Seconds for which a person may look for a password. */
const lifetime = 600;

/** Tabs that can sign in at the same time. */
const maxAttempts = 5;

/**
 * Bytes of their cookies. With the largest session, API Gateway's limit of 10,240 bytes leaves 3 KB
 * for other headers. A cookie takes 300 bytes, and a kilobyte more with the longest address.
 */
const maxAttemptBytes = 3000;

const drawText = () => randomBytes(32).toString('base64url');

/** The name of an attempt's cookie. It says nothing about the state that it is derived from. */
function cookieNameOf(state: string): string {
  return `login-${createHash('sha256').update(state).digest('hex').slice(0, 16)}`;
}

/** Names of the cookies of earlier attempts that have no room next to a new one: the oldest. */
function findSurplus(
  request: Request,
  { prefix }: CookieScope,
  newBytes: number,
): readonly string[] {
  const open = [...readCookies(request)].filter(([name]) => name.startsWith(`${prefix}login-`));
  let [kept, bytes] = [1, newBytes];
  // Browsers send the newest last.
  const surplus = open.toReversed().filter(([name, value]) => {
    kept += 1;
    bytes += name.length + value.length;
    return kept > maxAttempts || bytes > maxAttemptBytes;
  });
  return surplus.map(([name]) => name.slice(prefix.length));
}

/** The cookies of a new attempt, which remove those of attempts that are too many. */
function attemptCookies(
  request: Request,
  keys: SealingKeys,
  scope: CookieScope,
  attempt: LoginAttempt,
): readonly string[] {
  const sealed = sealedAttempt.seal(keys, attempt);
  return [
    ...findSurplus(request, scope, sealed.length).map((name) => setCookie(scope, name, '', 0)),
    setCookie(scope, cookieNameOf(attempt.state), sealed, lifetime),
  ];
}

/** The attempt that a callback belongs to: begun by the same browser, not too long ago. */
function findAttempt(
  request: Request,
  keys: SealingKeys,
  scope: CookieScope,
  now: number,
): LoginAttempt | undefined {
  const state = new URL(request.url).searchParams.get('state');
  if (state === null) return undefined;
  const text = readCookies(request).get(`${scope.prefix}${cookieNameOf(state)}`);
  if (text === undefined) return undefined;
  const attempt = sealedAttempt.unseal(keys, text);
  const isValid = attempt?.state === state && now - attempt.startedAt <= lifetime;
  return isValid ? attempt : undefined;
}

function kindOf(parameters: URLSearchParams): LoginAttempt['kind'] {
  if (parameters.has('recent')) return 'recent';
  return parameters.has('again') ? 'forced' : 'normal';
}

/** A login by the company's provider: to the provider and back, and then a session. */
export class LoginSteps {
  readonly #login: LoginContext;
  readonly #cookie: SessionCookie;

  constructor(login: LoginContext, cookie: SessionCookie) {
    this.#login = login;
    this.#cookie = cookie;
  }

  /** `GET /login`. */
  async beginAsAsked(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const returnTo = this.#login.returnPath(searchParams.get('to') ?? undefined);
    return this.begin(request, { kind: kindOf(searchParams), returnTo });
  }

  /** Sends the browser to the provider. */
  async begin(
    request: Request,
    start: Pick<LoginAttempt, 'kind' | 'returnTo' | 'subject'>,
  ): Promise<Response> {
    const { options, scope } = this.#login;
    const secrets = { state: drawText(), nonce: drawText(), codeVerifier: drawText() };
    const attempt: LoginAttempt = { ...start, ...secrets, startedAt: this.#login.now() };
    try {
      const url = await options.provider.authorizationUrl(attempt);
      return redirect(url, attemptCookies(request, await options.keys(), scope, attempt));
    } catch (error) {
      return this.#fail(error, start.returnTo);
    }
  }

  /** `GET /login/callback`: the browser comes back, once. */
  async finish(request: Request): Promise<Response> {
    const { options, scope, show } = this.#login;
    const attempt = findAttempt(request, await options.keys(), scope, this.#login.now());
    if (attempt === undefined) {
      return show(oldAttemptPage(this.#login.links(this.#login.page('/'))));
    }
    const response = await this.#redeem(request, attempt);
    // A callback can be used once by a browser.
    return withCookies(response, [setCookie(scope, cookieNameOf(attempt.state), '', 0)]);
  }

  /** Asks the provider who the person is. */
  async #redeem(request: Request, attempt: LoginAttempt): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    let claims: Claims;
    try {
      // The configured origin: behind a gateway, the address of the request may have another one.
      const url = new URL(this.#login.origin + pathname + search);
      claims = await this.#login.options.provider.finish(url, attempt);
    } catch (error) {
      return this.#fail(error, attempt.returnTo);
    }
    if (attempt.kind === 'silent' && claims.sub !== attempt.subject) {
      return this.#fail(new LoginError('needs_person'), attempt.returnTo);
    }
    return this.#open(claims, attempt);
  }

  /** Begins the session of a person, if the claims give one. */
  async #open(claims: Claims, attempt: LoginAttempt): Promise<Response> {
    const { options, show } = this.#login;
    const subject = typeof claims.sub === 'string' ? claims.sub : '';
    const access = findAccess(claims, options.people);
    const links = this.#login.links(attempt.returnTo);
    const person = { name: nameOf(claims, options.people), support: options.support, links };
    if ('refused' in access) {
      this.#login.report({ outcome: 'no_access', subject });
      return this.#withoutSession(show(noAccessPage(access, person)));
    }
    const session = this.#sessionOf(claims, access);
    const { kind, returnTo } = attempt;
    if (kind === 'recent' && !isRecent(session, this.#login.now(), sessionTimes.recentLogin)) {
      return show(notRecentPage(links));
    }
    const cookie = await this.#cookie.write(session);
    if (cookie === undefined) {
      return this.#withoutSession(show(tooLargePage(person)));
    }
    this.#login.report({ outcome: 'signed_in', subject });
    return redirect(returnTo, [cookie]);
  }

  #sessionOf(claims: Claims, access: Access): Session {
    const { provider, epoch } = this.#login.options;
    const now = this.#login.now();
    return {
      ...access,
      issuer: provider.issuer,
      subject: typeof claims.sub === 'string' ? claims.sub : '',
      begunAt: now,
      usedAt: now,
      authenticatedAt: readAuthTime(claims['auth_time'], now),
      epoch,
    };
  }

  /** A refused person keeps no session of before. */
  #withoutSession(response: Response): Response {
    return withCookies(response, [this.#cookie.remove()]);
  }

  #fail(error: unknown, returnTo: string): Response {
    if (!(error instanceof LoginError)) throw error;
    this.#login.report({ outcome: error.problem, error });
    return this.#login.show(loginErrorPage(error, this.#login.links(returnTo)));
  }
}
