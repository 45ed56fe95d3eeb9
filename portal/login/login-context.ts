import type { PeopleMapping } from '../../contract/portal-config.ts';
import { type CookieScope, cookieScope } from '../session/cookies.ts';
import type { LoginLinks, LoginPage } from './login-pages.ts';
import type { LoginError, LoginProvider } from './login-provider.ts';
import type { SealingKeys } from './sealing.ts';

export interface LoginOptions {
  readonly provider: LoginProvider;
  /** Called for each request, so a rotated key is used without a restart. */
  readonly keys: () => Promise<SealingKeys>;
  readonly people: PeopleMapping;
  /** A higher number than before ends every session. */
  readonly epoch: number;
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
type ShowPage = (page: LoginPage) => Response;

/** How a person is asked to sign in; see `LoginRequest.kind`. */
type Question = 'again' | 'recent';

/** Longer addresses would make a cookie that browsers do not keep. */
const maxLength = 1000;

/** What the login and the sessions share. */
export class LoginContext {
  readonly options: LoginOptions;
  readonly origin: string;
  readonly basePath: string;
  readonly scope: CookieScope;
  readonly show: ShowPage;

  constructor(
    options: LoginOptions,
    place: { readonly origin: string; readonly basePath: string },
    show: ShowPage,
  ) {
    this.options = options;
    this.origin = place.origin;
    this.basePath = place.basePath;
    this.scope = cookieScope(place.origin, place.basePath);
    this.show = show;
  }

  /** Seconds since the epoch. */
  now(): number {
    return Math.floor((this.options.clock ?? Date.now)() / 1000);
  }

  report(event: Omit<LoginEvent, 'issuer'>): void {
    this.options.onLogin?.({ issuer: this.options.provider.issuer, ...event });
  }

  /** The page of the portal with a path below the mount point. */
  page(path: string): string {
    return this.basePath + path;
  }

  /** The address that signs in and returns to a page. */
  loginAddress(returnTo: string, question?: Question): string {
    const parameters = question === undefined ? {} : { [question]: '1' };
    return this.page(`/login?${new URLSearchParams({ ...parameters, to: returnTo }).toString()}`);
  }

  links(returnTo: string): LoginLinks {
    return {
      signIn: this.loginAddress(returnTo),
      signInAgain: this.loginAddress(returnTo, 'again'),
    };
  }

  /**
   * A path to return to after the login: within the portal, with any text. Of the login's own pages,
   * only the one that says that the login is done. Everything else is the first page.
   */
  returnPath(text: string | undefined): string {
    const { origin, basePath } = this;
    const home = `${basePath}/`;
    if (text === undefined || text.length > maxLength || !URL.canParse(text, origin)) return home;
    const url = new URL(text, origin);
    const path = `${url.pathname}${url.search}`;
    // A path that begins with two slashes is the address of another host.
    if (url.origin !== origin || !path.startsWith(home) || path.startsWith('//')) return home;
    const isLogin = path.startsWith(`${basePath}/login`) && path !== `${basePath}/login/done`;
    return isLogin ? home : path;
  }
}

export function redirect(location: string, cookies: readonly string[]): Response {
  return withCookies(new Response(null, { status: 303, headers: { Location: location } }), cookies);
}

export function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie);
  return response;
}
