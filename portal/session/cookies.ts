/**
 * The cookies of a request, by name. Of two with one name, the first counts. Only the space of RFC
 * 6265 §4.2.1 is taken off: a name that begins with other white space, such as a no-break space, is
 * another one, to which browsers do not apply the rules of `__Host-`.
 */
export function readCookies(request: Request): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const part of (request.headers.get('cookie') ?? '').split(';')) {
    const [name = '', ...rest] = part.replace(/^[ \t]+/, '').split('=');
    if (name !== '' && !cookies.has(name)) cookies.set(name, rest.join('='));
  }
  return cookies;
}

export type CookieScope = Readonly<ReturnType<typeof cookieScope>>;

/**
 * The scope of the portal's cookies: `__Host-` over https, so that only this host can set it. Lax, because a Strict cookie is missing on the way back from
 * the login.
 *
 * @param origin of the portal. Without https, which is only for loopback, the cookie is limited to
 * the path, because every port of one address gets the same cookies.
 */
export function cookieScope(origin: string, basePath: string) {
  return origin.startsWith('https://')
    ? { prefix: '__Host-', attributes: 'Path=/; HttpOnly; Secure; SameSite=Lax' }
    : { prefix: '', attributes: `Path=${basePath}/; HttpOnly; SameSite=Lax` };
}

/** @param maxAge seconds; without it, the cookie ends with the browser. */
export function setCookie(
  { prefix, attributes }: CookieScope,
  name: string,
  value: string,
  maxAge?: number,
): string {
  return `${prefix}${name}=${value}; ${attributes}${maxAge === undefined ? '' : `; Max-Age=${maxAge}`}`;
}

/** Browsers keep at most this many bytes of a name and a value. */
export const maxCookieBytes = 4000;
