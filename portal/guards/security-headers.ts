/** No content from other hosts, no inline script or style, no frame. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every response. */
const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  // With no-referrer, browsers send "Origin: null" also with the portal's own forms.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** A response with a secret must not be cached, neither on disk nor for the Back button. */
const noStore = 'no-store';

/**
 * The response with the headers. Only assets, which set the header themselves, may be cached. This
 * makes a new response, because the headers of some responses, such as `Response.redirect`, cannot
 * be changed.
 */
export function withSecurityHeaders({
  body,
  status,
  headers: responseHeaders,
}: Response): Response {
  const headers = new Headers(responseHeaders);
  // The file of a logo has a stricter policy.
  const policy = headers.get('Content-Security-Policy');
  for (const [name, value] of Object.entries(securityHeaders)) headers.set(name, value);
  if (policy !== null) headers.set('Content-Security-Policy', policy);
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', noStore);
  return new Response(body, { status, headers });
}

/**
 * Whether the Host of a request is one of the portal's own. When a page of another site points its
 * name at this machine (DNS rebinding), requests have that name.
 */
export function isOwnHost(request: Request, origins: readonly string[]): boolean {
  const hosts = origins.map((origin) => new URL(origin).host);
  const named = [new URL(request.url).host, request.headers.get('host') ?? undefined];
  return named.every((host) => host === undefined || hosts.includes(host));
}
