import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { restrictToTrunkGroups } from '../../../core/management/caller-reach.ts';
import { createClient } from '../../../core/management/create-client.ts';
import { setSubjectGrant } from '../../../core/management/grants/grant-lists.ts';
import type { ManagementContext } from '../../../core/management/management-context.ts';
import { setProviderTrunkGroups } from '../../../core/management/providers/set-provider-trunk-groups.ts';
import { createWorld, grantSubject, registerOwn } from '../../adapters/management/world.ts';

const both = ['tg-1001', 'tg-2002'];

/** Every call of a store waits until the scheduler lets it, so that any order can be played. */
function scheduled<T extends object>(scheduler: fc.Scheduler, store: T): T {
  const wrapped = Object.entries(store).map(([name, run]) => {
    const isList = name.startsWith('list');
    return [name, isList || typeof run !== 'function' ? run : scheduler.scheduleFunction(run)];
  });
  return Object.fromEntries(wrapped) as T;
}

async function startRace(scheduler: fc.Scheduler, isRestricted: boolean) {
  const world = await createWorld();
  await registerOwn(world, both);
  const slow: ManagementContext = {
    ...world.context,
    clients: scheduled(scheduler, world.context.clients),
    providerOwners: scheduled(scheduler, world.context.providerOwners),
  };
  const context = isRestricted ? restrictToTrunkGroups(slow, both) : slow;
  const client = { name: 'A', serviceTrunkGroup: 'tg-2002', scopes: ['calls:view'] };
  const under = { provider: world.ownIssuer, externalClientId: 'app', idempotencyKey: 'key-12345' };
  const creating = createClient(context, { ...client, ...under });
  const leaving = setProviderTrunkGroups(context, world.ownIssuer, { trunkGroups: ['tg-1001'] });
  const settled = Promise.allSettled([creating, leaving]);
  await scheduler.waitFor(settled);
  const [created, left] = await settled;
  const own = [...world.clients.values()].filter(({ provider }) => provider !== undefined);
  const [owner] = [...world.owners.values()];
  return { world, created, left, clients: own, groups: owner?.trunkGroups };
}

describe('a client that is created while its provider leaves the trunk group', () => {
  it.each([
    ['by the staff', false],
    ['by a customer', true],
  ])('is never left there, in any order of their reads and writes: %s', async (_, isRestricted) => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { created, left, clients, groups } = await startRace(scheduler, isRestricted);
        const outcome = `${created.status} ${left.status}`;
        seen.add(outcome);
        expect(clients).toHaveLength(created.status === 'fulfilled' ? 1 : 0);
        expect(groups).toEqual(left.status === 'fulfilled' ? ['tg-1001'] : both);
        expect(outcome).not.toBe('fulfilled fulfilled');
      }),
      { numRuns: 300 },
    );
    expect(seen.size).toBeGreaterThan(1);
  });

  it('is named if it could not be taken back', async () => {
    const world = await createWorld();
    await registerOwn(world, both);
    let reads = 0;
    const { providerOwners, clients } = world.context;
    const context: ManagementContext = {
      ...world.context,
      providerOwners: {
        ...providerOwners,
        find: async (id) => {
          reads += 1;
          const owner = await providerOwners.find(id);
          return owner && { ...owner, trunkGroups: reads === 1 ? both : ['tg-1001'] };
        },
      },
      clients: {
        ...clients,
        delete: async () => {
          throw new Error('DynamoDB is gone');
        },
      },
    };
    const creating = createClient(context, {
      name: 'A',
      serviceTrunkGroup: 'tg-2002',
      scopes: ['calls:view'],
      provider: world.ownIssuer,
      externalClientId: 'app',
    });
    await expect(creating).rejects.toThrow(/delete client_\w+: it was written/);
    expect(world.audit.at(-1)).toMatchObject({ action: 'client.create' });
    expect(world.audit.at(-1)?.outcome).not.toBe('done');
  });
});

describe('a provider that leaves a trunk group while a client is created there', () => {
  it('is named if its trunk groups could not be set back', async () => {
    const world = await createWorld();
    await registerOwn(world, both);
    const { providerOwners, clients } = world.context;
    let writes = 0;
    const existing = await clients.find(world.clientId);
    if (existing === undefined) throw new Error('the world has a client');
    const context: ManagementContext = {
      ...world.context,
      providerOwners: {
        ...providerOwners,
        put: async (owner) => {
          writes += 1;
          if (writes > 1) throw new Error('DynamoDB is gone');
          await providerOwners.put(owner);
          await clients.create({
            ...existing,
            clientId: 'client_late',
            serviceTrunkGroup: 'tg-2002',
            provider: {
              issuer: owner.issuer,
              registrationId: owner.registrationId,
              externalClientId: 'app',
            },
          });
        },
      },
    };
    const leaving = setProviderTrunkGroups(context, world.ownIssuer, { trunkGroups: ['tg-1001'] });
    await expect(leaving).rejects.toThrow(
      `set the trunk groups of ${world.ownIssuer} to tg-1001, tg-2002 again`,
    );
    expect(world.audit.at(-1)?.outcome).not.toBe('done');
  });
});

describe('a client that is created while its grant is withdrawn', () => {
  it('exists only if it was written before the grant was gone', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const world = await createWorld();
        const { issuer } = world;
        grantSubject(world, issuer, { app: ['tg-2002'] });
        const { clients, subjectGrants } = world.context;
        const order: string[] = [];
        const slow: ManagementContext = {
          ...world.context,
          clients: scheduled(scheduler, {
            ...clients,
            create: (client) => {
              order.push('created');
              return clients.create(client);
            },
          }),
          subjectGrants: scheduled(scheduler, {
            ...subjectGrants,
            put: (list) => {
              order.push('withdrawn');
              return subjectGrants.put(list);
            },
          }),
        };
        const creating = createClient(restrictToTrunkGroups(slow, ['tg-2002']), {
          name: 'A',
          serviceTrunkGroup: 'tg-2002',
          scopes: ['calls:view'],
          provider: issuer,
          externalClientId: 'app',
        });
        const withdrawing = setSubjectGrant(slow, issuer, { value: 'app', trunkGroups: [] });
        const settled = Promise.allSettled([creating, withdrawing]);
        await scheduler.waitFor(settled);
        const [created, withdrawn] = await settled;
        expect(withdrawn.status).toBe('fulfilled');
        const isLate = order.join(' ') === 'withdrawn created';
        if (isLate) expect(created.status).toBe('rejected');
        const under = [...world.clients.values()].filter(({ provider }) => provider !== undefined);
        expect(under).toHaveLength(created.status === 'fulfilled' ? 1 : 0);
        seen.add(`${order.join(' ')}: ${created.status}`);
      }),
      { numRuns: 300 },
    );
    expect([...seen]).toContain('withdrawn created: rejected');
  });
});
