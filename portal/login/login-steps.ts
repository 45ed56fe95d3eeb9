import {
  attemptCookies,
  createAttempt,
  endAttempt,
  findAttempt,
  type LoginAttempt,
} from './login-attempt.ts';
import { type LoginContext, redirect, withCookies } from './login-context.ts';
import {
  loginErrorPage,
  noAccessPage,
  notRecentPage,
  oldAttemptPage,
  tooLargePage,
} from './login-pages.ts';
import { LoginError } from './login-provider.ts';
import { type Access, type Claims, findAccess, nameOf } from './people.ts';
import { isRecent, readAuthTime, type Session, sessionLimits } from './session.ts';
import type { SessionCookie } from './session-cookie.ts';

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
    wanted: Pick<LoginAttempt, 'kind' | 'returnTo' | 'subject'>,
  ): Promise<Response> {
    const { options, scope } = this.#login;
    const attempt = createAttempt({ ...wanted, startedAt: this.#login.now() });
    try {
      const url = await options.provider.authorizationUrl(attempt);
      return redirect(url, attemptCookies(request, await options.keys(), scope, attempt));
    } catch (error) {
      return this.#fail(error, wanted.returnTo);
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
    return withCookies(response, [endAttempt(scope, attempt.state)]);
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
      return this.#refuse(show(noAccessPage(access, person)));
    }
    const session = this.#sessionOf(claims, access);
    const { kind, returnTo } = attempt;
    if (kind === 'recent' && !isRecent(session, this.#login.now(), sessionLimits.recentLogin)) {
      return show(notRecentPage(links));
    }
    const cookie = await this.#cookie.write(session);
    if (cookie === undefined) {
      return this.#refuse(show(tooLargePage(person)));
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
  #refuse(response: Response): Response {
    return withCookies(response, [this.#cookie.remove()]);
  }

  #fail(error: unknown, returnTo: string): Response {
    if (!(error instanceof LoginError)) throw error;
    this.#login.report({ outcome: error.problem, error });
    return this.#login.show(loginErrorPage(error, this.#login.links(returnTo)));
  }
}
