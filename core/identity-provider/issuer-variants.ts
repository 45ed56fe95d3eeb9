const wellKnown = /\/\.well-known\/(?:openid-configuration|oauth-authorization-server)$/;

/** Whether a URL is one if an issuer without a path has its metadata, or ends like one. */
export function isDiscoveryUrl(url: string): boolean {
  return url.includes('/.well-known/');
}

/** What people write for an issuer by mistake: a slash more or less, or its discovery URL. */
export function issuerVariants(text: string): readonly string[] {
  const base = text.replace(wellKnown, '').replace(/\/+$/, '');
  return [base, `${base}/`].filter((variant) => variant !== text);
}

/**
 * An issuer without what leads to the same server in any form: the case of the host, the port of
 * https, a dot after the host and slashes at the end. Tokens are compared by the exact text.
 */
export function comparableIssuer(issuer: string): string {
  const { hostname, port, pathname, search } = new URL(issuer);
  return [hostname.replace(/\.$/, ''), port, pathname.replace(/\/+$/, ''), search].join(' ');
}
