/**
 * Whether the Host of a request is one of the portal's own. When a page of another site points its
 * name at this machine (DNS rebinding), requests have that name.
 */
export function isOwnHost(request: Request, origins: readonly string[]): boolean {
  const hosts = origins.map((origin) => new URL(origin).host);
  const named = [new URL(request.url).host, request.headers.get('host') ?? undefined];
  return named.every((host) => host === undefined || hosts.includes(host));
}
