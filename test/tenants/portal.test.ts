import { describe, expect, it } from 'vitest';
import type { Person, Role } from '../../portal/access/guarded-management.ts';
import { createPortal } from '../../portal/create-portal.ts';
import { routes } from '../../portal/routes.ts';
import { createWorld, registerOwn } from '../adapters/management/world.ts';
import { formOf, origin, pathOf, queryOf } from '../portal/portal-world.ts';
import { figure } from '../support/figure.ts';
import { createTestFunction } from '../support/management-function.ts';
import { foreignGroup, ownGroup } from './two-customers.ts';

/* The hostile customer with every page and form of the portal, on what the other one has. */

function personOf(role: Role, group: string): Person {
  const actor = async () => `https://idp.example.net#${group}`;
  return { name: group, role, trunkGroups: [group], actor };
}

async function createPortals() {
  const world = await createWorld(ownGroup);
  await registerOwn(world, [ownGroup]);
  for (const serviceTrunkGroup of [ownGroup, foreignGroup]) {
    const limits = { serviceTrunkGroup, version: 1, maxClients: 10, ownProviders: 3 };
    world.limits.set(serviceTrunkGroup, limits);
  }
  const management = createTestFunction(world.context).through('portal');
  const portalOf = (person: Person) =>
    createPortal({
      management,
      identify: async () => person,
      origins: [origin],
      clock: () => world.now * 1000,
    });
  const recordsOf = () =>
    JSON.stringify([
      [...world.clients.values()].filter((one) => one.serviceTrunkGroup !== foreignGroup),
      [...world.apiKeys.values()].filter((one) => one.serviceTrunkGroup !== foreignGroup),
      world.limits.get(ownGroup),
      [...world.providers.values()],
      [...world.owners.values()],
      [...world.grants.values()],
    ]);
  return { world, portalOf, recordsOf };
}

type Portals = Awaited<ReturnType<typeof createPortals>>;

/** Every field that some form has, with values of the other customer. */
function fieldsOf({ world }: Portals) {
  return {
    ...formOf(world),
    name: 'Mine',
    serviceTrunkGroup: ownGroup,
    trunkGroup: ownGroup,
    trunkGroups: foreignGroup,
    scopes: 'calls:view',
    clientId: world.clientId,
    keyId: world.keyId,
    secretId: world.secretId,
    value: 'repo:acme/',
    address: '0.0.0.0/0',
    maxClients: '0',
    allowAnySource: 'on',
    cascade: 'on',
    confirm: 'on',
    text: 'Billing',
    requestId: 'request-12345',
  };
}

async function send(
  portals: Portals,
  person: Person,
  { method, path }: (typeof routes)[number],
  issuer = portals.world.issuer,
) {
  const { world, portalOf } = portals;
  const asked = { ...world, issuer, discoveryUrl: `${issuer}/.well-known/openid-configuration` };
  const body = new URLSearchParams({ ...fieldsOf({ ...portals, world: asked }) });
  const headers = { origin, 'sec-fetch-site': 'same-origin' };
  const url = `${origin}${pathOf(world, path)}${method === 'GET' ? queryOf(asked, path) : ''}`;
  const post = method === 'GET' ? {} : { method, headers, body };
  const response = await portalOf(person).fetch(new Request(url, post));
  return { status: response.status, text: await response.text() };
}

/** What only the other customer's records have. */
const secrets = /Billing|>Ada<|own\.example\.net/;

let cases = 0;

describe.each(['viewer', 'manager', 'administrator'] as const)(
  'a hostile %s in the portal',
  (role) => {
    const mallory = personOf(role, foreignGroup);

    it.each(routes.map((route) => [route.method, route.path, route] as const))(
      '%s %s: neither shows nor changes what another customer has',
      async (_method, _path, route) => {
        const portals = await createPortals();
        const before = portals.recordsOf();
        for (const issuer of [portals.world.issuer, portals.world.ownIssuer]) {
          const { status, text } = await send(portals, mallory, route, issuer);
          expect(status).toBeLessThan(500);
          // What was typed is shown again.
          const shown = text.replaceAll(/value="[^"]*"|<textarea[^]*?<\/textarea>/g, '');
          if (issuer === portals.world.issuer) expect(shown).not.toMatch(secrets);
          expect(shown).not.toContain(portals.world.secretId);
          cases += 1;
        }
        expect(portals.recordsOf()).toBe(before);
      },
    );
  },
);

it('leaves every page of the other customer as it is', async () => {
  const grace = personOf('manager', ownGroup);
  const pages = routes.filter(({ method }) => method === 'GET');
  const portals = await createPortals();
  const see = async () => {
    const seen: string[] = [];
    for (const route of pages) {
      const { status, text } = await send(portals, grace, route);
      // Forms have a new id each time.
      const page = text.replaceAll(/name="requestId" value="[^"]*"/g, '');
      seen.push(`${route.path}: ${status} ${page}`);
    }
    return seen;
  };
  const before = await see();
  for (const text of ['Billing', '>Ada<', 'office', 'own.example.net', portals.world.secretId]) {
    expect(before.join('\n')).toContain(text);
  }
  for (const role of ['manager', 'administrator'] as const) {
    for (const route of routes) await send(portals, personOf(role, foreignGroup), route);
  }
  expect(await see()).toEqual(before);
  figure('hostile customers in the portal', { routes: routes.length, cases });
  expect(cases).toBeGreaterThanOrEqual(300);
});
