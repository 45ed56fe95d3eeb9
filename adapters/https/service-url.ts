import { InputError } from '../../core/errors.ts';

const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Reads a configured address of this service: any host over https, and http on loopback for the
 * local run.
 *
 * @throws {InputError} with the value received and what is allowed.
 */
export function parseServiceUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAllowed =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && loopbackHosts.has(url.hostname));
  if (url !== undefined && isAllowed) return url;
  throw new InputError(
    `URL of the service: received ${JSON.stringify(text)}; allowed: an https URL, or http on loopback`,
  );
}
