import { OAuthError } from '../oauth-error.ts';
import { grantTypes, unsupportedCredentialParameters } from './capabilities.ts';
import { assertFormContentType, type Form, parseForm } from './form.ts';
import { parseResource } from './resource.ts';
import { parseScope } from './scope.ts';

/** A request to the token endpoint as received. Its content is untrusted. */
export interface TokenRequest {
  /** Each `Content-Type` header. */
  readonly contentTypes: readonly string[];
  /** Each `Authorization` header. */
  readonly authorizations: readonly string[];
  /** Names of the parameters in the query. */
  readonly queryNames: readonly string[];
  readonly body: Uint8Array;
}

/** The parameters of a token request (RFC 6749 §4.4.2, RFC 8707 §2). Unknown ones are ignored. */
export interface TokenParameters {
  readonly clientId: string | undefined;
  /** Whether the body holds credentials of a method that is not supported. */
  readonly hasBodyCredentials: boolean;
  /** The requested scope tokens; undefined if there are none. */
  readonly scopes: readonly string[] | undefined;
  readonly resource: string | undefined;
}

/** Belongs in the body: in a query it would reach logs and caches (RFC 6749 §2.3.1, §3.2). */
const bodyOnly: ReadonlySet<string> = new Set([
  'grant_type',
  'client_id',
  'scope',
  'resource',
  ...unsupportedCredentialParameters,
]);

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

/** @throws {OAuthError} if the request can be refused without knowing the client. */
export function parseTokenParameters(request: TokenRequest): TokenParameters {
  if (request.queryNames.some((name) => bodyOnly.has(name))) {
    throw new OAuthError('parameter_in_query');
  }
  assertFormContentType(request.contentTypes);
  const form = parseForm(request.body);
  assertNoRepetition(form);
  assertGrantType(valueOf(form, 'grant_type'));
  return {
    clientId: valueOf(form, 'client_id'),
    hasBodyCredentials: unsupportedCredentialParameters.some((name) => valueOf(form, name)),
    scopes: parseScope(valueOf(form, 'scope')),
    // An empty resource is not an absolute URI: for this parameter, RFC 8707 §2 applies.
    resource: parseResource(form.get('resource')?.[0]),
  };
}
