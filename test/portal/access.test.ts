import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../adapters/management.ts';
import { leastRole, managementOperations } from '../../contract/management/operations.ts';
import {
  ForbiddenError,
  guardManagement,
  mayUse,
  operationNames,
  type Role,
  roles,
} from '../../portal/access/guarded-management.ts';
import { routes } from '../../portal/routes.ts';
import { runOperation } from '../adapters/management/run-operation.ts';
import { prepareCall, validCalls } from '../adapters/management/valid-calls.ts';
import { createWorld } from '../adapters/management/world.ts';
import { createPortalWorld, formOf, pathOf, personOf, queryOf } from './portal-world.ts';

/** Which role each needs is a literal in test/integration/portal/portal-role.test.ts. */
const operations = Object.keys(managementOperations) as OperationName[];

function isAllowed(name: OperationName, role: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(leastRole(managementOperations[name], true));
}

describe('what each role may do', () => {
  it('is decided for every operation', () => {
    expect(operationNames.toSorted()).toEqual(operations.toSorted());
    for (const role of roles) {
      const limited = { role, trunkGroups: ['tg-1001'] };
      expect(operations.filter((name) => mayUse(limited, name))).toEqual(
        operations.filter((name) => isAllowed(name, role)),
      );
    }
  });

  const rows = operations.flatMap((name) => roles.map((role) => [name, role] as const));

  it.each(rows)('%s as %s reaches the library only if it may', async (name, role) => {
    const world = await createWorld('tg-1001');
    await prepareCall(world, name, 'tg-1001');
    const { args } = validCalls(world)[name];
    const records = world.audit.length;
    const guarded = guardManagement(world.management, personOf(role, ['tg-1001']));
    const outcome = await runOperation(guarded as typeof world.management, name, args).catch(
      (error: unknown) => error,
    );
    expect(outcome instanceof ForbiddenError).toBe(!isAllowed(name, role));
    if (outcome instanceof ForbiddenError) expect(world.audit).toHaveLength(records);
  });
});

/** Pages that a viewer may open: the others lead to a change, or are for administrators. */
const openToViewers = new Set([
  '/',
  '/clients',
  '/clients/export',
  '/clients/:clientId',
  '/api-keys',
  '/api-keys/export',
  '/api-keys/:keyId',
  '/identity-providers',
  '/identity-providers/show',
  '/identity-providers/grants',
  '/trunk-groups',
  '/trunk-groups/:group',
  '/explain',
  '/explain/credential',
]);

describe('the pages', () => {
  it.each(routes.map(({ method, path }) => [method, path] as const))(
    '%s %s gives a viewer what a viewer may see',
    async (method, path) => {
      const world = await createPortalWorld();
      world.signInAs(personOf('viewer'));
      const records = world.audit.length;
      const response =
        method === 'GET'
          ? await world.get(pathOf(world, path) + queryOf(world, path))
          : await world.post(pathOf(world, path), {
              ...formOf(world),
              name: 'x',
              serviceTrunkGroup: 'tg-1001',
              scopes: 'calls:view',
              tokenLifetime: '1h',
              overlap: '1d',
              address: '10.0.0.0/8',
              credential: 'x',
            });
      const isOpen = openToViewers.has(path) && (method === 'GET' || path.startsWith('/explain'));
      expect(response.status).toBe(isOpen ? 200 : 403);
      expect(world.audit).toHaveLength(records);
      if (!isOpen) expect(await response.text()).toContain('You may not do this');
    },
  );

  it('offer a viewer no change', async () => {
    const world = await createPortalWorld();
    world.signInAs(personOf('viewer'));
    for (const path of openToViewers) {
      if (path === '/explain/credential') continue;
      const text = await (await world.get(pathOf(world, path) + queryOf(world, path))).text();
      const forms = text.match(/method="post" action="[^"]*"/g) ?? [];
      expect([path, forms.filter((form) => !form.includes('/explain/credential'))]).toEqual([
        path,
        [],
      ]);
      expect(text).not.toMatch(/href="[^"]*\/(?:new|edit|delete|rotate|remove)"/);
    }
  });

  it('know nothing of another trunk group', async () => {
    const world = await createPortalWorld({}, 'tg-1001');
    world.signInAs(personOf('manager', ['tg-2002']));
    for (const { method, path } of routes) {
      if (!/:(?:clientId|keyId|group)/.test(path)) continue;
      const response =
        method === 'GET'
          ? await world.get(pathOf(world, path))
          : await world.post(pathOf(world, path), { ...formOf(world), name: 'x', overlap: '1d' });
      // The form of limits is the staff's, for any group.
      const isOfStaff =
        path.includes(':group') && (method === 'POST' || path !== '/trunk-groups/:group');
      expect([method, path, response.status]).toEqual([method, path, isOfStaff ? 403 : 404]);
    }
    const text = await (await world.get('/clients')).text();
    expect(text).not.toContain(world.clientId);
  });
});
