import type { Person } from '../access/guarded-management.ts';
import { createAppearance } from '../appearance.ts';
import { createPortal } from '../create-portal.ts';
import { html } from '../html/html.ts';
import { linkButton } from '../html/parts.ts';
import type { Portal, PortalOptions } from '../portal-options.ts';
import { plainPage } from '../respond.ts';
import { LoginContext, type LoginOptions, redirect, withCookies } from './login-context.ts';
import { idlePage, type LoginPage, signedInPage, signedOutPage } from './login-pages.ts';
import { LoginSteps } from './login-steps.ts';
import {
  isRecent,
  personOf,
  renewAfter,
  type Session,
  SessionCookie,
  sessionTimes,
  stateOf,
} from './session.ts';

function isNavigation(request: Request): boolean {
  const mode = request.headers.get('sec-fetch-mode');
  const purpose = request.headers.get('sec-purpose') ?? '';
  return (
    request.method === 'GET' &&
    (mode === null || mode === 'navigate') &&
    !purpose.includes('prefetch')
  );
}

type ShowLoginPage = (request: Request) => Promise<Response>;

/** The sessions of people who signed in at the company's OpenID provider, in sealed cookies. */
class LoginSessions {
  readonly #login: LoginContext;
  readonly #cookie: SessionCookie;
  readonly #steps: LoginSteps;
  /** Pages that need no session, by method and path. */
  readonly #pages: ReadonlyMap<string, ShowLoginPage>;
  /** New cookies of requests that are being answered. */
  readonly #renewals = new WeakMap<Request, string>();

  constructor(login: LoginContext) {
    this.#login = login;
    this.#cookie = new SessionCookie(login);
    const steps = new LoginSteps(login, this.#cookie);
    this.#steps = steps;
    this.#pages = new Map<string, ShowLoginPage>([
      ['GET /login', (request) => steps.beginAsAsked(request)],
      ['GET /login/callback', (request) => steps.finish(request)],
      ['GET /login/done', async () => login.show(signedInPage())],
      ['GET /signed-out', (request) => this.#signedOut(request)],
      ['POST /sign-out', (request) => this.signOut(request)],
    ]);
  }

  /** The person of a request, or a response that leads to the login. */
  async identify(request: Request): Promise<Person | Response | undefined> {
    const path = new URL(request.url).pathname.slice(this.#login.basePath.length);
    const page = this.#pages.get(`${request.method} ${path}`);
    if (page !== undefined) return page(request);
    const session = await this.#cookie.read(request);
    const state = session && stateOf(session, this.#login.now(), this.#login.options.epoch);
    if (session !== undefined && state === 'open') {
      await this.#renew(request, session);
      return personOf(session);
    }
    if (!isNavigation(request)) return undefined;
    const returnTo = this.#pathOf(request);
    if (state === 'idle') return this.#login.show(idlePage(this.#login.links(returnTo)));
    return state === 'over'
      ? this.#steps.begin(request, { kind: 'silent', returnTo, subject: session?.subject })
      : this.#steps.begin(request, { kind: 'normal', returnTo });
  }

  #pathOf(request: Request): string {
    const { pathname, search } = new URL(request.url);
    return this.#login.returnPath(pathname + search);
  }

  async #renew(request: Request, session: Session): Promise<void> {
    const now = this.#login.now();
    if (now - session.usedAt < renewAfter) return;
    const cookie = await this.#cookie.write({ ...session, usedAt: now });
    if (cookie !== undefined) this.#renewals.set(request, cookie);
  }

  /** Adds the cookie that keeps a session open to the response to a request. */
  addRenewal(request: Request, response: Response): Response {
    const cookie = this.#renewals.get(request);
    if (cookie === undefined || this.#cookie.isIn(response)) return response;
    return withCookies(response, [cookie]);
  }

  /**
   * Ends the session. The answer to a form must not lead to another host: the policy of the page
   * (`form-action`) would stop it. A page of the portal leads to the provider.
   */
  async signOut(request: Request): Promise<Response> {
    const session = await this.#cookie.read(request);
    if (session !== undefined) {
      this.#login.report({ outcome: 'signed_out', subject: session.subject });
    }
    return redirect(this.#login.page('/signed-out?provider=1'), [this.#cookie.remove()]);
  }

  async #signedOut(request: Request): Promise<Response> {
    const { show, options, origin } = this.#login;
    const links = this.#login.links(this.#login.page('/'));
    if (!new URL(request.url).searchParams.has('provider')) {
      return show(signedOutPage(links, 'ended'));
    }
    try {
      const url = await options.provider.endSessionUrl(origin + this.#login.page('/signed-out'));
      if (url === undefined) return show(signedOutPage(links, 'unknown'));
      const response = show(signedOutPage(links, 'leaving'));
      response.headers.set('Refresh', `0; url=${url}`);
      return response;
    } catch (error) {
      this.#login.report({ outcome: 'unavailable', error });
      return show(signedOutPage(links, 'unknown'));
    }
  }

  /** Where to sign in again before a credential is created; undefined if the login is recent. */
  async findLoginForCredential(request: Request): Promise<string | undefined> {
    const session = await this.#cookie.read(request);
    const isForm = request.method === 'GET';
    const longest = isForm ? sessionTimes.recentLoginOfForm : sessionTimes.recentLogin;
    if (session !== undefined && isRecent(session, this.#login.now(), longest)) return undefined;
    const to = isForm ? this.#pathOf(request) : this.#login.page('/login/done');
    return this.#login.loginAddress(to, 'recent');
  }

  /** Where a person signs in to send a form again. */
  get signInAddress(): string {
    return this.#login.loginAddress(this.#login.page('/login/done'));
  }
}

export interface LoginPortalOptions
  extends Omit<LoginOptions, 'support'>,
    Omit<
      PortalOptions,
      'identify' | 'signOut' | 'signInHint' | 'signInAddress' | 'findLoginForCredential'
    > {}

/** The portal with a login by the company's OpenID provider, as a function of the Fetch standard. */
export function createLoginPortal(options: LoginPortalOptions): Portal {
  const { look, origins, basePath = '' } = options;
  const appearance = createAppearance(look);
  const show = ({ status, title, text, action }: LoginPage) => {
    const more =
      action === undefined
        ? undefined
        : html`<div class="form-actions">${linkButton(action[0], action[1], 'primary')}</div>`;
    return plainPage({ basePath, appearance }, { status, title, text, more });
  };
  const place = { origin: origins[0], basePath };
  const sessions = new LoginSessions(
    new LoginContext({ ...options, support: look?.support }, place, show),
  );
  const portal = createPortal({
    ...options,
    identify: (request) => sessions.identify(request),
    signOut: (request) => sessions.signOut(request),
    signInAddress: sessions.signInAddress,
    findLoginForCredential: (request) => sessions.findLoginForCredential(request),
  });
  return { fetch: async (request) => sessions.addRenewal(request, await portal.fetch(request)) };
}
