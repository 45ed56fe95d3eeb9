/**
 * Whether a request names the portal by one of its own addresses. A page of another site that
 * points its name at this machine (DNS rebinding) sends that name.
 */
export function isOwnHost(request: Request, origins: readonly string[]): boolean {
  const hosts = origins.map((origin) => new URL(origin).host);
  const named = [new URL(request.url).host, request.headers.get('host') ?? undefined];
  return named.every((host) => host === undefined || hosts.includes(host));
}
