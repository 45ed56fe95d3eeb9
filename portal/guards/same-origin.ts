const safeMethods: readonly string[] = ['GET', 'HEAD'];

/**
 * Whether a request that changes something comes from a page of the portal. Every browser sends
 * both headers; a request without them is refused.
 */
export function isSameOrigin(request: Request, origins: readonly string[]): boolean {
  if (safeMethods.includes(request.method)) return true;
  const origin = request.headers.get('origin');
  return (
    origin !== null &&
    origins.includes(origin) &&
    new URL(origin).host === new URL(request.url).host &&
    request.headers.get('sec-fetch-site') === 'same-origin'
  );
}
