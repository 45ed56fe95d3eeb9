import { isResourceUri } from '../../contract/resource-uri.ts';
import { OAuthError } from '../oauth-error.ts';

/** Reads a `resource` parameter (RFC 8707 §2). */
export function parseResource(value: string | undefined): string | undefined {
  if (value !== undefined && !isResourceUri(value)) throw new OAuthError('resource_syntax');
  return value;
}

/**
 * The `aud` of a token: the requested resource, or the client's default (RFC 9068 §3).
 *
 * @param audiences the client's own; if there are none, the deployment's default is the only one.
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
