import { recentChangeWithin } from '../../contract/limits.ts';
import { type CookieScope, readCookies, setCookie } from './cookies.ts';

const name = 'changed';

/**
 * Notes in a browser that its user has just changed something. Lists then also read the audit of the
 * last seconds, which has what the index does not have yet. The cookie holds nothing, and the
 * browser removes it when the index must have the change.
 */
export function noteChange(response: Response, scope: CookieScope): void {
  response.headers.append('Set-Cookie', setCookie(scope, name, '1', recentChangeWithin / 1000));
}

/** Whether the browser of a request has changed something in the last seconds. */
export function hasRecentChange(request: Request, { prefix }: CookieScope): boolean {
  return readCookies(request).has(prefix + name);
}
