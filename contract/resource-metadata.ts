import { discoveryMaxAge, maxAudienceLength } from './bounds.ts';
import { isScopeToken } from './scopes.ts';

/**
 * `absolute-URI` of RFC 3986 §4.3: a scheme and at least one more character, no fragment. A
 * pattern and not a URL parser, which would refuse or rewrite URIs without a host.
 */
const absoluteUri = /^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;

/** Whether a `resource` parameter can name it (RFC 8707 §2), so that it can be an audience. */
export function isResourceUri(value: string): boolean {
  return value.length <= maxAudienceLength && absoluteUri.test(value);
}

/** What an API publishes about itself (RFC 9728 §3.2): where its tokens come from. */
export interface ResourceMetadata {
  /** Where the API's host serves it (RFC 9728 §3.1). */
  readonly path: string;
  /** The same with the host, for `resource_metadata` of a challenge (RFC 9728 §5.1). */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

export const resourceHelp =
  'one of the audiences that is an https URL without query and fragment, e.g. "https://api.example.com"';

/** Nothing in it needs an escape in a header, in JSON or in a mapping template of API Gateway. */
const resourcePattern = /^https?:\/\/[\w.-]+(:\d+)?(\/[\w.~-]+)*\/?$/;

function isResource(text: string): boolean {
  if (!resourcePattern.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || hostname === 'localhost' || hostname === '127.0.0.1';
}

/** What an API says of itself, if it has something to say. */
interface ResourceFacts {
  /** What its clients ask for. Without them, some clients ask for every scope there is. */
  readonly scopes?: readonly string[] | undefined;
  /** How it accepts tokens that are bound to a key, if it checks proofs. */
  readonly proofs?:
    | { readonly algorithms: readonly string[]; readonly required: boolean }
    | undefined;
}

/**
 * The metadata of a protected resource.
 *
 * @param resource the API's URL. A client asks for a token with it as `resource` (RFC 8707), so it
 *   must be an audience that the API accepts.
 * @returns undefined if the resource cannot be used; {@link resourceHelp} says what can.
 * @throws {RangeError} if a scope is not one.
 */
export function resourceMetadata(
  resource: string,
  issuer: string,
  audiences: readonly string[],
  { scopes = [], proofs }: ResourceFacts = {},
): ResourceMetadata | undefined {
  if (!isResource(resource) || !audiences.includes(resource)) return undefined;
  const wrong = scopes.find((scope) => !isScopeToken(scope));
  if (wrong !== undefined) {
    throw new RangeError(
      `resourceScopes: received ${JSON.stringify(wrong)}; allowed: scopes, e.g. "messaging:view"`,
    );
  }
  const { origin, pathname } = new URL(resource);
  const path = `/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
  const metadata = {
    resource,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    ...(proofs && {
      dpop_signing_alg_values_supported: proofs.algorithms,
      dpop_bound_access_tokens_required: proofs.required,
    }),
  };
  return {
    path,
    url: `${origin}${path}`,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': `public, max-age=${discoveryMaxAge}`,
      'Access-Control-Allow-Origin': '*',
    },
    body: JSON.stringify(metadata),
  };
}
