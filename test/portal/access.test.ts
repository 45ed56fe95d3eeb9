import { afterAll, describe, expect, it } from 'vitest';
import {
  InputError,
  NotFoundError,
  type OperationName,
  RefusedError,
} from '../../adapters/management.ts';
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
import { foreignOutcomes } from '../adapters/management/foreign-outcomes.ts';
import { isObject, runOperation } from '../adapters/management/run-operation.ts';
import { prepareCall, validCalls } from '../adapters/management/valid-calls.ts';
import { createWorld } from '../adapters/management/world.ts';
import { figure } from '../support/figure.ts';
import { createPortalWorld, formOf, pathOf, personOf, queryOf } from './portal-world.ts';

/** Which role each needs is a literal in test/integration/portal/portal-role.test.ts. */
const operations = Object.keys(managementOperations) as OperationName[];

function isAllowed(name: OperationName, role: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(leastRole(managementOperations[name], true));
}

async function outcomeOf(name: OperationName, role: Role, trunkGroup: string): Promise<string> {
  const world = await createWorld('tg-1001');
  await prepareCall(world, name, 'tg-1001');
  const { args } = validCalls(world)[name];
  const before = JSON.stringify([...world.clients, ...world.apiKeys, ...world.providers]);
  const isUnchanged = () =>
    JSON.stringify([...world.clients, ...world.apiKeys, ...world.providers]) === before;
  const guarded = guardManagement(world.management, personOf(role, [trunkGroup]));
  try {
    const result = await runOperation(guarded as typeof world.management, name, args);
    const items = isObject(result) ? result.items : undefined;
    return Array.isArray(items) && items.length === 0 ? 'empty' : 'done';
  } catch (error) {
    expect(isUnchanged()).toBe(true);
    if (error instanceof ForbiddenError) return 'forbidden';
    if (error instanceof NotFoundError) return 'not found';
    if (error instanceof InputError) return 'input';
    if (error instanceof RefusedError) return 'refused';
    throw error;
  }
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

  const outcomes = new Map<string, number>();
  const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  afterAll(() =>
    figure('operations by role and trunk group', {
      tried: 2 * rows.length,
      ...Object.fromEntries(outcomes),
    }),
  );

  it.each(rows)('%s as %s, on the own trunk group', async (name, role) => {
    const outcome = await outcomeOf(name, role, 'tg-1001');
    const isOfEveryGroup =
      /^(?:deleteProvider|importClient|erasePersonName|set(?:TrunkGroup(?:Limits|Enabled)|\w+Grant)|(?:list|check)Grants)$/.test(
        name,
      );
    const expected = isAllowed(name, role) ? (isOfEveryGroup ? 'refused' : 'done') : 'forbidden';
    count(outcome);
    // The filters of the valid calls may leave nothing.
    expect(outcome === 'empty' ? 'done' : outcome).toBe(expected);
  });

  it.each(rows)('%s as %s, on another trunk group', async (name, role) => {
    const expected = isAllowed(name, role) ? foreignOutcomes[name] : 'forbidden';
    const outcome = await outcomeOf(name, role, 'tg-2002');
    count(outcome);
    expect(outcome).toBe(expected);
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
