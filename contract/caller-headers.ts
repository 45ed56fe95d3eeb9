/**
 * The headers in which the forward-auth check tells a service who calls. The check sends all of
 * them with each accepted request, empty if there is no value: a header that a caller made up is
 * then always replaced.
 */
export const callerHeaders = {
  credential: 'X-Auth-Credential',
  clientId: 'X-Auth-Client-Id',
  scope: 'X-Auth-Scope',
  serviceTrunkGroup: 'X-Auth-Service-Trunk-Group',
  issuer: 'X-Auth-Issuer',
  keyId: 'X-Auth-Key-Id',
} as const;

export type CallerHeaderName = (typeof callerHeaders)[keyof typeof callerHeaders];

/**
 * Carries the JSON body of a refusal on one line, for proxies that pass on headers but no body,
 * such as NGINX.
 */
export const refusalHeader = 'X-Auth-Error';

/** The path that a proxy asks: `/verify/messaging:view`, then anything. */
export const verifyPathSegment = 'verify';

/** In place of the scopes: any accepted credential will do. */
export const noScopesSegment = '-';
