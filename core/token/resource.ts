import { maxAudienceLength } from '../../contract/limits.ts';
import { OAuthError } from '../oauth-error.ts';

/**
 * `absolute-URI` of RFC 3986 §4.3: a scheme and at least one more character, no fragment. A
 * pattern and not a URL parser, which would refuse or rewrite URIs without a host.
 */
const absoluteUri = /^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;

/** Reads a `resource` parameter (RFC 8707 §2). */
export function parseResource(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value.length > maxAudienceLength || !absoluteUri.test(value)) {
    throw new OAuthError('resource_syntax');
  }
  return value;
}

/**
 * The `aud` of a token: the resource asked for, else the client's default (RFC 9068 §3).
 *
 * @param audiences the client's own; where there are none, the deployment's default is the only one.
 */
export function selectAudience(
  resource: string | undefined,
  audiences: readonly string[],
  defaultAudience: string,
): string {
  const [first = defaultAudience, ...others] = audiences;
  if (resource === undefined || resource === first) return first;
  if (!others.includes(resource)) throw new OAuthError('resource_not_allowed');
  return resource;
}
