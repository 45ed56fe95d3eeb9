import { maxFormParameters, maxScopeBytes, maxTokenFormBytes } from '../../contract/bounds.ts';
import { isResourceUri } from '../../contract/resource-metadata.ts';
import { isScopeToken } from '../../contract/scopes.ts';
import { OAuthError } from '../oauth-error.ts';
import { credentialParameters, grantTypes } from './capabilities.ts';

/** A request to the token endpoint as received. Its content is untrusted. */
export interface TokenRequest {
  /** The route's path; that of the token endpoint if left out. */
  readonly path?: string;
  /** Each `Content-Type` header. */
  readonly contentTypes: readonly string[];
  /** Each `Authorization` header. */
  readonly authorizations: readonly string[];
  /** Each `DPoP` header (RFC 9449 §4.1). */
  readonly proofs?: readonly string[];
  /** Names of the parameters in the query. */
  readonly queryNames: readonly string[];
  readonly body: Uint8Array;
}

/** The parameters of a token request (RFC 6749 §4.4.2, RFC 8707 §2). Unknown ones are ignored. */
export interface TokenParameters {
  readonly clientId: string | undefined;
  /** The secret in the body, if the deployment accepts one there. It must not be logged. */
  readonly postedSecret?: string | undefined;
  /** Whether the body holds credentials of a method that is not supported. */
  readonly hasBodyCredentials: boolean;
  /** The requested scope tokens; undefined if there are none. */
  readonly scopes: readonly string[] | undefined;
  readonly resource: string | undefined;
}

/** What `audience` of a request means (`audienceParameter` of the config). Undefined: nothing. */
export type AudienceParameter = 'refuse' | 'resource' | undefined;

/** What a deployment accepts in a token request that others do not. */
export interface ParameterSettings {
  readonly audienceParameter?: AudienceParameter;
  /** Whether the body may hold the secret. */
  readonly clientSecretPost?: boolean | undefined;
}

/** What must not be next to a secret in the body. */
const assertionParameters = ['assertion', 'client_assertion', 'client_assertion_type'];

/**
 * @param parsed the form, if it was read before.
 * @throws {OAuthError} if the request can be refused without knowing the client.
 */
export function parseTokenParameters(
  request: TokenRequest,
  parsed?: Form,
  { audienceParameter, clientSecretPost }: ParameterSettings = {},
): TokenParameters {
  if (request.queryNames.some((name) => bodyOnly.has(name))) {
    throw new OAuthError('parameter_in_query');
  }
  assertFormContentType(request.contentTypes);
  const form = parsed ?? parseForm(request.body);
  assertNoRepetition(form);
  assertGrantType(valueOf(form, 'grant_type'));
  const postedSecret = clientSecretPost ? valueOf(form, 'client_secret') : undefined;
  const unsupported = postedSecret === undefined ? credentialParameters : assertionParameters;
  return {
    clientId: valueOf(form, 'client_id'),
    postedSecret,
    hasBodyCredentials: unsupported.some((name) => valueOf(form, name)),
    scopes: parseScope(valueOf(form, 'scope')),
    resource: readResource(form, request, audienceParameter),
  };
}

/** Belongs in the body: in a query it would reach logs and caches (RFC 6749 §2.3.1, §3.2). */
export const bodyOnly: ReadonlySet<string> = new Set([
  'grant_type',
  'client_id',
  'scope',
  'resource',
  ...credentialParameters,
]);

const mediaType = 'application/x-www-form-urlencoded';

/**
 * Requires that the content type is a form (RFC 6749 §4.4.2). Its parameters are ignored: the media
 * type has none (https://www.iana.org/assignments/media-types/application/x-www-form-urlencoded),
 * and a `charset` changes nothing, because each value that the endpoint accepts is ASCII.
 *
 * @param contentTypes each `Content-Type` header of the request.
 */
export function assertFormContentType(contentTypes: readonly string[]): void {
  const [contentType, ...others] = contentTypes;
  const [type] = contentType?.split(';') ?? [];
  if (type?.trim().toLowerCase() !== mediaType || others.length > 0) {
    throw new OAuthError('content_type');
  }
}

/** The values of each parameter, in order; also those of unknown ones. */
export type Form = ReadonlyMap<string, readonly string[]>;

/**
 * Reads a form strictly. Its size is checked before it is decoded.
 *
 * @param most bytes of the form.
 */
export function parseForm(body: Uint8Array, most: number = maxTokenFormBytes): Form {
  if (body.length > most) throw new OAuthError('body_too_large');
  const text = decodeUtf8(body);
  if (text === undefined) throw new OAuthError('body_encoding');
  const segments = text.split('&').filter((segment) => segment !== '');
  if (segments.length > maxFormParameters) throw new OAuthError('too_many_parameters');
  const form = new Map<string, readonly string[]>();
  for (const [name, value] of segments.map(decodeParameter)) {
    form.set(name, [...(form.get(name) ?? []), value]);
  }
  return form;
}

function decodeParameter(segment: string): readonly [name: string, value: string] {
  const end = segment.indexOf('=');
  const name = decodeFormValue(end < 0 ? segment : segment.slice(0, end));
  const value = decodeFormValue(end < 0 ? '' : segment.slice(end + 1));
  if (name === undefined || value === undefined) throw new OAuthError('body_encoding');
  return [name, value];
}

const encoded = /[+%]/;

/**
 * Decodes one name or value of `application/x-www-form-urlencoded` (RFC 6749 Appendix B): `+` is a
 * space, `%` needs two hex digits, and the result must be UTF-8.
 *
 * @returns undefined if the text is not so encoded.
 */
export function decodeFormValue(text: string): string | undefined {
  if (!encoded.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @returns the text, or undefined if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * RFC 6749 §3.2: no parameter twice. RFC 8707 allows several `resource`; this service accepts one.
 */
export function assertNoRepetition(form: Form): void {
  for (const [name, values] of form) {
    if (values.length === 1) continue;
    throw new OAuthError(name === 'resource' ? 'repeated_resource' : 'repeated_parameter');
  }
}

/** RFC 6749 §3.2: a parameter without a value is treated as if it were omitted. */
export function valueOf(form: Form, name: string): string | undefined {
  return form.get(name)?.[0] || undefined;
}

function assertGrantType(grantType: string | undefined): void {
  if (grantType === undefined) throw new OAuthError('no_grant_type');
  if (!grantTypes.some((known) => known === grantType)) throw new OAuthError('grant_type');
}

/**
 * Reads a `scope` parameter: tokens, each separated by one space (RFC 6749 §3.3). Forms in which
 * people type scopes leave one at the end.
 */
export function parseScope(value: string | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (value.length > maxScopeBytes) throw new OAuthError('scope_syntax');
  const tokens = value.replace(/(?<=\S) $/, '').split(' ');
  if (!tokens.every(isScopeToken)) throw new OAuthError('scope_syntax');
  return tokens;
}

/** Reads `resource` (RFC 8707 §2), and Auth0's name for it. */
export function readResource(
  form: Form,
  { queryNames }: Pick<TokenRequest, 'queryNames'>,
  meaning: AudienceParameter,
): string | undefined {
  // An empty resource is not an absolute URI: for this parameter, RFC 8707 §2 applies.
  const [resource] = form.get('resource') ?? [];
  const audience = meaning && valueOf(form, 'audience');
  if (meaning && queryNames.includes('audience')) throw new OAuthError('parameter_in_query');
  if (audience === undefined) return parseResource(resource);
  if (meaning === 'refuse') throw new OAuthError('audience_parameter');
  if (resource !== undefined && resource !== audience) throw new OAuthError('repeated_resource');
  return parseResource(audience);
}

/** Reads a `resource` parameter (RFC 8707 §2). */
export function parseResource(value: string | undefined): string | undefined {
  if (value !== undefined && !isResourceUri(value)) throw new OAuthError('resource_syntax');
  return value;
}
