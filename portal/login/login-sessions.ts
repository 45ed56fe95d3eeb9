import type { Person } from '../access/person.ts';
import {
  type CookieScope,
  cookieScope,
  maxCookieBytes,
  readCookies,
  setCookie,
} from '../session/cookies.ts';
import {
  attemptCookies,
  createAttempt,
  endAttempt,
  findAttempt,
  type LoginAttempt,
} from './login-attempt.ts';
import {
  idlePage,
  type LoginLinks,
  type LoginPage,
  loginErrorPage,
  noAccessPage,
  notRecentPage,
  oldAttemptPage,
  signedInPage,
  signedOutPage,
  tooLargePage,
} from './login-pages.ts';
import { LoginError, type LoginProvider } from './login-provider.ts';
import { type Claims, findAccess, type PeopleMapping } from './people.ts';
import { readReturnPath } from './return-path.ts';
import { type SealingKeys, seal, unseal } from './sealing.ts';
import {
  fromStored,
  isRecent,
  personOf,
  renewAfter,
  type Session,
  sessionLimits,
  stateOf,
  toStored,
} from './session.ts';

export interface LoginSessionsOptions {
  readonly provider: LoginProvider;
  /** Called for each request, so a rotated key is used without a restart. */
  readonly keys: () => Promise<SealingKeys>;
  readonly people: PeopleMapping;
  /** A higher number than before ends every session. */
  readonly epoch: number;
  /** For a provider without `auth_time`: its answer to `prompt=login` counts as a new login. */
  readonly acceptsPromptLogin?: boolean | undefined;
  /** Whom to ask about access, e.g. `support@example.com`. */
  readonly support?: string | undefined;
  readonly onLogin?: ((event: LoginEvent) => void) | undefined;
  /** Milliseconds since the epoch. */
  readonly clock?: (() => number) | undefined;
}

/** A login or a refused one, for the log. It contains no token and no code. */
export interface LoginEvent {
  readonly outcome: 'signed_in' | 'signed_out' | 'no_access' | LoginError['problem'];
  readonly issuer: string;
  readonly subject?: string | undefined;
  readonly error?: unknown;
}

/** Makes a response of a page. The portal owns the look. */
export type ShowPage = (page: LoginPage) => Response;

const sessionName = 'session';
const sessionPurpose = 'session';

function isNavigation(request: Request): boolean {
  const mode = request.headers.get('sec-fetch-mode');
  const purpose = request.headers.get('sec-purpose') ?? '';
  return (
    request.method === 'GET' &&
    (mode === null || mode === 'navigate') &&
    !purpose.includes('prefetch')
  );
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ Location: location });
  for (const cookie of cookies) headers.append('Set-Cookie', cookie);
  return new Response(null, { status: 303, headers });
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie);
  return response;
}

/** The login of people by the company's OpenID provider, with sessions in sealed cookies. */
export class LoginSessions {
  readonly #options: LoginSessionsOptions;
  readonly #origin: string;
  readonly #basePath: string;
  readonly #scope: CookieScope;
  readonly #show: ShowPage;
  /** New cookies of requests that are being answered. */
  readonly #renewals = new WeakMap<Request, string>();

  constructor(
    options: LoginSessionsOptions,
    place: { readonly origin: string; readonly basePath: string },
    show: ShowPage,
  ) {
    this.#options = options;
    this.#origin = place.origin;
    this.#basePath = place.basePath;
    this.#scope = cookieScope(place.origin, place.basePath);
    this.#show = show;
  }

  #now(): number {
    return Math.floor((this.#options.clock ?? Date.now)() / 1000);
  }

  #links(returnTo: string): LoginLinks {
    const link = (parameters: Readonly<Record<string, string>>) =>
      `${this.#basePath}/login?${new URLSearchParams({ ...parameters, to: returnTo }).toString()}`;
    return { signIn: link({}), signInAgain: link({ again: '1' }) };
  }

  /** The person of a request, or a response that leads to the login. */
  async identify(request: Request): Promise<Person | Response | undefined> {
    const { pathname } = new URL(request.url);
    const page = this.#pageOf(request.method, pathname.slice(this.#basePath.length));
    if (page !== undefined) return page(request);
    const session = await this.#read(request);
    const state = session && stateOf(session, this.#now(), this.#options.epoch);
    if (session !== undefined && state === 'open') {
      await this.#renew(request, session);
      return personOf(session);
    }
    if (!isNavigation(request)) return undefined;
    const returnTo = this.#pathOf(request);
    if (state === 'idle') return this.#show(idlePage(this.#links(returnTo)));
    return state === 'over'
      ? this.#begin(request, { kind: 'silent', returnTo, subject: session?.subject })
      : this.#begin(request, { kind: 'normal', returnTo });
  }

  #pageOf(method: string, path: string): ((request: Request) => Promise<Response>) | undefined {
    const pages: ReadonlyMap<string, (request: Request) => Promise<Response>> = new Map([
      ['GET /login', (request: Request) => this.#login(request)],
      ['GET /login/callback', (request: Request) => this.#finish(request)],
      ['GET /login/done', async () => this.#show(signedInPage())],
      ['GET /signed-out', (request: Request) => this.#signedOut(request)],
      ['POST /sign-out', (request: Request) => this.signOut(request)],
    ]);
    return pages.get(`${method} ${path}`);
  }

  #pathOf(request: Request): string {
    const { pathname, search } = new URL(request.url);
    return readReturnPath(pathname + search, this.#origin, this.#basePath);
  }

  async #read(request: Request): Promise<Session | undefined> {
    const text = readCookies(request).get(this.#scope.prefix + sessionName);
    if (text === undefined) return undefined;
    const session = fromStored(unseal(await this.#options.keys(), sessionPurpose, text));
    return session?.issuer === this.#options.provider.issuer ? session : undefined;
  }

  /** @returns undefined if the session does not fit into a cookie. */
  async #cookieOf(session: Session): Promise<string | undefined> {
    const value = seal(await this.#options.keys(), sessionPurpose, toStored(session));
    return value.length + sessionName.length > maxCookieBytes
      ? undefined
      : setCookie(this.#scope, sessionName, value);
  }

  async #renew(request: Request, session: Session): Promise<void> {
    const now = this.#now();
    if (now - session.usedAt < renewAfter) return;
    const cookie = await this.#cookieOf({ ...session, usedAt: now });
    if (cookie !== undefined) this.#renewals.set(request, cookie);
  }

  /** Adds the cookie that keeps a session open to the response to a request. */
  complete(request: Request, response: Response): Response {
    const cookie = this.#renewals.get(request);
    const isSet = response.headers.getSetCookie().length > 0;
    return cookie === undefined || isSet ? response : withCookies(response, [cookie]);
  }

  async #login(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const to = searchParams.get('to') ?? undefined;
    const returnTo = readReturnPath(to, this.#origin, this.#basePath);
    const kind = searchParams.has('recent')
      ? 'recent'
      : searchParams.has('again')
        ? 'forced'
        : 'normal';
    return this.#begin(request, { kind, returnTo });
  }

  async #begin(
    request: Request,
    wanted: Pick<LoginAttempt, 'kind' | 'returnTo' | 'subject'>,
  ): Promise<Response> {
    const attempt = createAttempt({ ...wanted, startedAt: this.#now() });
    try {
      const url = await this.#options.provider.authorizationUrl(attempt);
      const keys = await this.#options.keys();
      return redirect(url, attemptCookies(request, keys, this.#scope, attempt));
    } catch (error) {
      return this.#fail(error, wanted.returnTo);
    }
  }

  #fail(error: unknown, returnTo: string): Response {
    if (!(error instanceof LoginError)) throw error;
    const { problem } = error;
    this.#report({ outcome: problem, error });
    return this.#show(loginErrorPage(error, this.#links(returnTo)));
  }

  #report(event: Omit<LoginEvent, 'issuer'>): void {
    this.#options.onLogin?.({ issuer: this.#options.provider.issuer, ...event });
  }

  async #finish(request: Request): Promise<Response> {
    const keys = await this.#options.keys();
    const attempt = findAttempt(request, keys, this.#scope, this.#now());
    if (attempt === undefined) return this.#show(oldAttemptPage(this.#links(`${this.#basePath}/`)));
    const response = await this.#complete(request, attempt);
    return withCookies(response, [endAttempt(this.#scope, attempt.state)]);
  }

  async #complete(request: Request, attempt: LoginAttempt): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    let claims: Claims;
    try {
      // The configured origin: behind a gateway, the address of the request may have another one.
      const url = new URL(pathname + search, this.#origin);
      claims = await this.#options.provider.finish(url, attempt);
    } catch (error) {
      return this.#fail(error, attempt.returnTo);
    }
    if (attempt.kind === 'silent' && claims.sub !== attempt.subject) {
      return this.#fail(new LoginError('needs_person'), attempt.returnTo);
    }
    return this.#open(claims, attempt);
  }

  async #open(claims: Claims, { kind, returnTo }: LoginAttempt): Promise<Response> {
    const { provider, people, support, epoch, acceptsPromptLogin } = this.#options;
    const now = this.#now();
    const subject = typeof claims.sub === 'string' ? claims.sub : '';
    const access = findAccess(claims, people);
    if ('refused' in access) {
      this.#report({ outcome: 'no_access', subject });
      return this.#end(this.#show(noAccessPage(access, subject, support)));
    }
    const wasAsked = acceptsPromptLogin === true && (kind === 'recent' || kind === 'forced');
    const told = typeof claims.auth_time === 'number' ? Math.floor(claims.auth_time) : undefined;
    const authenticatedAt = told ?? (wasAsked ? now : undefined);
    const session: Session = {
      ...access,
      issuer: provider.issuer,
      subject,
      begunAt: now,
      usedAt: now,
      authenticatedAt: authenticatedAt && Math.min(authenticatedAt, now),
      epoch,
    };
    if (kind === 'recent' && !isRecent(session, now, sessionLimits.recentLogin)) {
      return this.#show(notRecentPage(this.#links(returnTo)));
    }
    const cookie = await this.#cookieOf(session);
    if (cookie === undefined) return this.#end(this.#show(tooLargePage(access.name, support)));
    this.#report({ outcome: 'signed_in', subject });
    return redirect(returnTo, [cookie]);
  }

  #end(response: Response): Response {
    return withCookies(response, [setCookie(this.#scope, sessionName, '', 0)]);
  }

  /**
   * Ends the session. The answer to a form must not lead to another host: the policy of the page
   * (`form-action`) would stop it. A page of the portal leads to the provider.
   */
  async signOut(request: Request): Promise<Response> {
    const session = await this.#read(request);
    if (session !== undefined) this.#report({ outcome: 'signed_out', subject: session.subject });
    return this.#end(redirect(`${this.#basePath}/signed-out?provider=1`, []));
  }

  async #signedOut(request: Request): Promise<Response> {
    const links = this.#links(`${this.#basePath}/`);
    if (!new URL(request.url).searchParams.has('provider')) {
      return this.#show(signedOutPage(links, 'ended'));
    }
    try {
      const returnTo = `${this.#origin}${this.#basePath}/signed-out`;
      const url = await this.#options.provider.endSessionUrl(returnTo);
      if (url === undefined) return this.#show(signedOutPage(links, 'unknown'));
      const response = this.#show(signedOutPage(links, 'leaving'));
      response.headers.set('Refresh', `0; url=${url}`);
      return response;
    } catch (error) {
      this.#report({ outcome: 'unavailable', error });
      return this.#show(signedOutPage(links, 'unknown'));
    }
  }

  /** Where to sign in again before a credential is created; undefined if the login is recent. */
  async findLoginForCredential(request: Request): Promise<string | undefined> {
    const session = await this.#read(request);
    const isForm = request.method === 'GET';
    const limit = isForm ? sessionLimits.recentLoginOfForm : sessionLimits.recentLogin;
    if (session !== undefined && isRecent(session, this.#now(), limit)) return undefined;
    const to = isForm ? this.#pathOf(request) : `${this.#basePath}/login/done`;
    return `${this.#basePath}/login?${new URLSearchParams({ recent: '1', to }).toString()}`;
  }

  /** Where a person signs in to send a form again. */
  get signInAddress(): string {
    return this.#links(`${this.#basePath}/login/done`).signIn;
  }
}
