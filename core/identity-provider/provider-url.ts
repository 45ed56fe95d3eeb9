import { maxProviderUrlLength } from '../../contract/bounds.ts';
import { InputError } from '../errors.ts';
import { isLoopbackAddress, isPublicAddress, parseIpAddress } from '../network/ip-address.ts';

export interface ProviderUrlOptions {
  /** Whether a provider may be on loopback. Only for the local run and tests; still https. */
  readonly allowLoopback?: boolean | undefined;
  /** Whether it only names an issuer: any host and port. */
  readonly isNeverFetched?: boolean | undefined;
  /** The field of an input that the URL came with, for the error. */
  readonly field?: string | undefined;
}

/** The https port, and the usual one of servers that cannot open it. Other ports are refused. */
const allowedPorts = new Set(['', '8443']);

/** Printable ASCII but space, quotes and backslash, which URL parsers repair in different ways. */
const plainUrl = /^https:\/\/[\x21\x23-\x26\x28-\x5B\x5D-\x7E]+$/;

/**
 * Whether a text can be a provider's URL or issuer at all, before it is looked up. With a fragment,
 * it would name another record.
 */
export function isProviderUrlText(text: string): boolean {
  return text.length <= maxProviderUrlLength && plainUrl.test(text) && !text.includes('#');
}

/** Whether a connection to this address, as resolved, may be opened. */
export function isAllowedProviderAddress(address: string, options: ProviderUrlOptions): boolean {
  const parsed = parseIpAddress(address);
  if (parsed === undefined) return false;
  return isPublicAddress(parsed) || (options.allowLoopback === true && isLoopbackAddress(parsed));
}

function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return parseIpAddress(host) === undefined ? undefined : host;
}

function mayBeLoopback(url: URL, options: ProviderUrlOptions): boolean {
  if (options.allowLoopback !== true) return false;
  const address = parseIpAddress(literalAddress(url) ?? '');
  return url.hostname === 'localhost' || (address !== undefined && isLoopbackAddress(address));
}

function findProblem(text: string, options: ProviderUrlOptions): string | undefined {
  if (text.length > maxProviderUrlLength) return `at most ${maxProviderUrlLength} characters`;
  if (!plainUrl.test(text) || !URL.canParse(text)) return 'an absolute https URL in plain ASCII';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'a URL without user name and password';
  if (text.includes('#')) return 'a URL without fragment';
  if (options.isNeverFetched === true) return undefined;
  const address = literalAddress(url);
  if (address !== undefined && !isAllowedProviderAddress(address, options)) {
    return 'a host on the public internet';
  }
  if (!allowedPorts.has(url.port) && !mayBeLoopback(url, options)) return 'port 443 or 8443';
  return undefined;
}

/**
 * Reads a URL that belongs to an identity provider. The host's addresses are checked when it is
 * connected to, not here: a name may resolve to anything, and to something else a moment later.
 *
 * @param label what the URL is, for the message.
 * @throws {InputError} with the value received and what is allowed.
 */
export function parseProviderUrl(
  text: string,
  label: string,
  options: ProviderUrlOptions = {},
): URL {
  const problem = findProblem(text, options);
  if (problem === undefined) return new URL(text);
  const shown = text.length > 200 ? `${text.slice(0, 200)}...` : text;
  throw new InputError(`received ${JSON.stringify(shown)}; allowed: ${problem}`, {
    field: options.field,
    label,
  });
}

const wellKnown = /\/\.well-known\/(?:openid-configuration|oauth-authorization-server)$/;

/** Whether a URL is one if an issuer without a path has its metadata, or ends like one. */
export function isDiscoveryUrl(url: string): boolean {
  return url.includes('/.well-known/');
}

/** What people write for an issuer by mistake: a slash more or less, or its discovery URL. */
export function issuerVariants(text: string): readonly string[] {
  const base = text.replace(wellKnown, '').replace(/\/+$/, '');
  return [base, `${base}/`].filter((variant) => variant !== text);
}

/**
 * An issuer without what leads to the same server in any form: the case of the host, the port of
 * https, a dot after the host and slashes at the end. Tokens are compared by the exact text.
 */
export function comparableIssuer(issuer: string): string {
  const { hostname, port, pathname, search } = new URL(issuer);
  return [hostname.replace(/\.$/, ''), port, pathname.replace(/\/+$/, ''), search].join(' ');
}
