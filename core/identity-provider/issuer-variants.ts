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
