import { maxCookieBytes, readCookies, setCookie } from '../session/cookies.ts';
import type { LoginContext } from './login-context.ts';
import { seal, unseal } from './sealing.ts';
import { fromStored, type Session, toStored } from './session.ts';

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
