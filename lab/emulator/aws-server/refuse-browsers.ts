import type { IncomingMessage } from 'node:http';
import { loopbackHost } from '../loopback-server.ts';
import { AwsError } from './aws-error.ts';

/** Status 421, RFC 9110 §15.5.20: the server does not answer for this host. */
const misdirectedRequest = 421;

/**
 * Refuses requests that a web page could send to a server on loopback. A page may bind its own name
 * to this address (DNS rebinding), and may send requests that need no preflight. Browsers put
 * `Origin` or `Sec-Fetch-Site` in all of them; `Sec-Fetch-Mode` is in requests of Node's own
 * `fetch` as well.
 *
 * @throws {AwsError} if the request names another host or comes from a browser.
 */
export function refuseBrowsers({ headers, socket }: IncomingMessage): void {
  const port = socket.localPort ?? 0;
  const names = [loopbackHost, 'localhost'].map((name) => `${name}:${port}`);
  if (!names.includes(headers.host ?? '')) {
    const message = `received the Host ${JSON.stringify(headers.host)}; allowed: ${names.join(', ')}`;
    throw new AwsError('AccessDeniedException', message, misdirectedRequest);
  }
  const browserHeader = ['origin', 'sec-fetch-site'].find((name) => headers[name] !== undefined);
  if (browserHeader !== undefined) {
    const message = `received the header ${browserHeader}; requests of browsers are not allowed`;
    throw new AwsError('AccessDeniedException', message, 403);
  }
}
