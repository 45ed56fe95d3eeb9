const schemes = /^(?:https|http):\/\//;

/** The form that the issuer of an authorization server of this product has (RFC 8414 §2). */
function correctForm(issuer: string): string | undefined {
  const text = issuer.trim();
  const url = URL.parse(schemes.test(text) ? text : `https://${text}`);
  if (url === null || url.host === '' || url.username !== '') return undefined;
  if (!['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) url.protocol = 'https:';
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

/**
 * What is allowed in place of an issuer that no token can have: issuers are compared character by
 * character (RFC 8414 §3.3). Undefined if a token can have it.
 */
export function findIssuerProblem(issuer: unknown): string | undefined {
  const right = typeof issuer === 'string' ? correctForm(issuer) : undefined;
  if (right === issuer && right !== undefined) return undefined;
  return `the issuer exactly as in the discovery document, ${JSON.stringify(right ?? 'https://auth.example.com')}`;
}
