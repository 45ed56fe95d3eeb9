/**
 * The headers that tell a service who calls. The forward-auth check sends all of them when it
 * accepts a request, empty if there is no value. They always replace headers that a caller made up.
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

/** Carries a refusal's JSON body on one line, for proxies that pass on only headers (NGINX). */
export const refusalHeader = 'X-Auth-Error';

/** The path that a proxy asks: `/verify/messaging:view`, then anything. */
export const verifyPathSegment = 'verify';

/** In place of the scopes: any accepted credential will do. */
export const noScopesSegment = '-';
