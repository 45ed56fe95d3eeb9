/** What the token endpoint can do. It enforces these lists and the discovery document shows them. */

export const grantTypes = ['client_credentials'] as const;

/** With `federatedClients` also RFC 7523 §2.1. */
export const jwtBearerGrantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Client authentication method (RFC 7591 §2) by lower-case HTTP authentication scheme. */
export const authenticationSchemes: ReadonlyMap<string, string> = new Map([
  ['basic', 'client_secret_basic'],
]);

/** With `clientSecretPost` also RFC 6749 §2.3.1, in the body. */
export const secretInBody = 'client_secret_post';

/** Parameters that authenticate a client in ways that only some deployments support. */
export const credentialParameters = [
  'client_secret',
  'client_assertion',
  'client_assertion_type',
] as const;
