/** What the token endpoint can do. It enforces these lists and the discovery document shows them. */

export const grantTypes = ['client_credentials'] as const;

/** With `federatedClients` also RFC 7523 §2.1. */
export const jwtBearerGrantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Client authentication method (RFC 7591 §2) by lower-case HTTP authentication scheme. */
export const authenticationSchemes: ReadonlyMap<string, string> = new Map([
  ['basic', 'client_secret_basic'],
]);

/** Parameters that authenticate a client in ways that are not supported. */
export const unsupportedCredentialParameters = [
  'client_secret',
  'client_assertion',
  'client_assertion_type',
] as const;
