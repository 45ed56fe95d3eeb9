import { maxAudienceLength } from './limits.ts';

/**
 * `absolute-URI` of RFC 3986 §4.3: a scheme and at least one more character, no fragment. A
 * pattern and not a URL parser, which would refuse or rewrite URIs without a host.
 */
const absoluteUri = /^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;

/** Whether a `resource` parameter can name it (RFC 8707 §2), so that it can be an audience. */
export function isResourceUri(value: string): boolean {
  return value.length <= maxAudienceLength && absoluteUri.test(value);
}
