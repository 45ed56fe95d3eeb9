/** Where the tokens of a provider name their audience. */
export const audienceSources = ['aud', 'scope'] as const;

export type AudienceSource = (typeof audienceSources)[number];

/**
 * The APIs that the scopes of a token belong to: each scope is `API/permission`, as the scopes of
 * an Amazon Cognito resource server are. A scope without a slash belongs to no API.
 */
export function audiencesOfScope(scope: string): readonly string[] {
  const apis = scope
    .split(' ')
    .map((name) => name.slice(0, Math.max(0, name.lastIndexOf('/'))))
    .filter((api) => api !== '');
  return [...new Set(apis)];
}

const cognitoHost = /^cognito-idp(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/;

/** Whether an issuer is a user pool of Amazon Cognito, whose access tokens have no `aud`. */
export function isCognitoIssuer(issuer: string): boolean {
  return cognitoHost.test(new URL(issuer).hostname);
}
