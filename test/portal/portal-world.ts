import type { Person, Role } from '../../portal/access/guarded-management.ts';
import { createPortal } from '../../portal/create-portal.ts';
import type { PortalOptions, PortalRequest } from '../../portal/portal-options.ts';
import { createWorld, type World } from '../adapters/management/world.ts';
export const origin = 'http://127.0.0.1:8084';

/** The portal over management in memory, without a server. */
export interface PortalWorld extends World {
  /** Who the next requests come from; undefined: someone who is not known. */
  readonly signInAs: (person: Person | undefined) => void;
  readonly requests: PortalRequest[];
  readonly faults: unknown[];
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;
  /** Sends a form as a browser does from a page of the portal. */
  readonly post: (
    path: string,
    form?: Readonly<Record<string, string>> | URLSearchParams,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Response>;
  readonly fetch: (request: Request) => Promise<Response>;
}

export function personOf(role: Role, trunkGroups?: readonly string[]): Person {
  return { name: `${role}@example.com`, role, trunkGroups, actor: async () => role };
}

export async function createPortalWorld(
  options: Partial<PortalOptions> = {},
  trunkGroup?: string,
): Promise<PortalWorld> {
  const world = await createWorld(trunkGroup);
  const requests: PortalRequest[] = [];
  const faults: unknown[] = [];
  let person: Person | undefined = personOf('administrator');
  const portal = createPortal({
    management: world.management,
    identify: async () => person,
    origins: [origin],
    onRequest: (request) => requests.push(request),
    onFault: (error) => faults.push(error),
    clock: () => world.now * 1000,
    ...options,
  });
  const fetch = (request: Request) => portal.fetch(request);
  return Object.assign(world, {
    signInAs: (other: Person | undefined) => {
      person = other;
    },
    requests,
    faults,
    fetch,
    get: (path: string, headers: Readonly<Record<string, string>> = {}) =>
      fetch(new Request(origin + path, { headers })),
    post: (
      path: string,
      form: Readonly<Record<string, string>> | URLSearchParams = {},
      headers: Readonly<Record<string, string>> = {},
    ) =>
      fetch(
        new Request(origin + path, {
          method: 'POST',
          headers: { origin, 'sec-fetch-site': 'same-origin', ...headers },
          body: new URLSearchParams(form),
        }),
      ),
  });
}

/** The path of a route with ids of the world in its places. */
export function pathOf(world: World, path: string): string {
  return path
    .replace(':clientId', world.clientId)
    .replace(':secretId', world.secretId)
    .replace(':keyId', world.keyId)
    .replace(':subnetId', world.subnetId)
    .replace(':group', 'tg-1001');
}

/** What the portal itself puts into a form. */
export function formOf(world: World): Readonly<Record<string, string>> {
  const { issuer, discoveryUrl } = world;
  return { ifVersion: '1', issuer, discoveryUrl, ifIssuer: issuer, ifJwksUri: `${issuer}/keys` };
}

/** What a route needs in its query to show something. */
export function queryOf(world: World, path: string): string {
  if (!path.startsWith('/identity-providers/')) return '';
  return path.endsWith('/new')
    ? `?discoveryUrl=${encodeURIComponent(world.discoveryUrl)}`
    : `?issuer=${encodeURIComponent(world.issuer)}`;
}
