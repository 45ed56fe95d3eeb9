import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindManagement } from '../../../adapters/management.ts';
import { trunkGroupMembers } from '../../../contract/management/inputs.ts';
import { ConflictError } from '../../../core/errors.ts';
import type { GivenKeys } from '../../../core/identity-provider/identity-provider.ts';
import { restrictCaller } from '../../../core/management/caller-reach.ts';
import type { ManagementContext } from '../../../core/management/management-context.ts';
import {
  restorableApiKeys,
  restorableClients,
  restoreItems,
} from '../../../core/restore/restore-items.ts';
import { restoreProviders } from '../../../core/restore/restore-providers.ts';
import type { Stoppable } from '../../../core/stops.ts';
import {
  createWorld,
  grantSubject,
  registerOwn,
  type World,
} from '../../adapters/management/world.ts';
import { createMemoryShelf } from '../../support/memory-shelf.ts';
import { storedKind } from '../../support/stored-kind.ts';
import { declareWorld, eventOf, publicKey } from './declare-world.ts';

const group = 'tg-1001';

/** One pass: what it had to stop or start. */
async function pass({ context }: Pick<World, 'context'>, enabled: boolean, of = group) {
  const management = bindManagement(context);
  const found: Record<string, readonly string[]> = {};
  for (const members of trunkGroupMembers) {
    found[members] = (await management.setTrunkGroupEnabled(of, enabled, { members })).items;
  }
  return found;
}

const nothing = { clients: [], apiKeys: [], providers: [] };

async function stop(world: Pick<World, 'context'>, of = group) {
  await bindManagement(world.context).setTrunkGroupEnabled(of, false);
  return pass(world, false, of);
}

async function resume(world: Pick<World, 'context'>) {
  const found = await pass(world, true);
  await bindManagement(world.context).setTrunkGroupEnabled(group, true);
  return found;
}

/** Management whose first write of a client or a provider waits for a call. */
function lateManagement({ context }: World, meanwhile: () => Promise<unknown>) {
  const { clients, identityProviders: providers } = context;
  let waited: Promise<unknown> | undefined;
  const wait = async () => {
    waited ??= meanwhile();
    await waited;
  };
  const replace: typeof clients.replace = async (next) => {
    await wait();
    await clients.replace(next);
  };
  const replaceIdentityProvider: typeof providers.replaceIdentityProvider = async (...args) => {
    await wait();
    await providers.replaceIdentityProvider(...args);
  };
  return bindManagement({
    ...context,
    clients: { ...clients, replace },
    identityProviders: { ...providers, replaceIdentityProvider },
  });
}

const kindsOf = (record: Stoppable | undefined) => Object.keys(record?.stops ?? {});

describe('a trunk group that the staff stops', () => {
  it('has its clients, API keys and own provider stopped, each once, and nothing else', async () => {
    const world = await createWorld(group);
    await registerOwn(world, [group]);
    const { management, clients, apiKeys, providers, ownIssuer } = world;
    const other = { name: 'B', serviceTrunkGroup: 'tg-2002', scopes: ['calls:view'] };
    const { client: foreign } = await management.createClient(other);
    await management.setClientEnabled(world.clientId, false);
    const found = await stop(world);
    expect(found).toEqual({
      clients: [world.clientId],
      apiKeys: [world.keyId],
      providers: [ownIssuer],
    });
    expect(await stop(world)).toEqual(nothing);
    const all = () => [
      kindsOf(clients.get(world.clientId)),
      kindsOf(apiKeys.get(world.keyId)),
      kindsOf(providers.get(ownIssuer)),
      kindsOf(clients.get(foreign.clientId)),
      kindsOf(providers.get(world.issuer)),
    ];
    expect(all()).toEqual([['person', 'trunk_group'], ['trunk_group'], ['trunk_group'], [], []]);
    const limits = await management.findTrunkGroupLimits(group);
    expect(clients.get(world.clientId)?.stops?.trunk_group).toEqual(limits.stops?.trunk_group);
    await expect(management.setClientEnabled(world.clientId, true)).resolves.toBeDefined();
    expect(await resume(world)).toEqual(found);
    expect(all()).toEqual([[], [], [], [], []]);
    expect(await resume(world)).toEqual(nothing);
    const done = world.audit.filter(({ outcome }) => outcome === 'done').map((one) => one.action);
    expect(done.slice(-4)).toEqual([
      'client.enable',
      'api_key.enable',
      'identity_provider.resume',
      'trunk_group_limits.resume',
    ]);
  });

  it('keeps a provider that other trunk groups have, too, also if each is stopped', async () => {
    const world = await createWorld(group);
    await registerOwn(world, [group, 'tg-2002']);
    expect((await stop(world))['providers']).toEqual([]);
    await stop(world, 'tg-2002');
    expect(kindsOf(world.providers.get(world.ownIssuer))).toEqual([]);
  });

  it('keeps its limits, and its stop when they change', async () => {
    const world = await createWorld(group);
    await world.management.setTrunkGroupLimits(group, { maxClients: 3 });
    await stop(world);
    const { version } = await world.management.findTrunkGroupLimits(group);
    await world.management.setTrunkGroupLimits(group, { maxClients: 2, ifVersion: version });
    expect(await world.management.findTrunkGroupLimits(group)).toMatchObject({
      maxClients: 2,
      stops: { trunk_group: {} },
    });
    await resume(world);
    expect(await world.management.findTrunkGroupLimits(group)).toMatchObject({ maxClients: 2 });
  });

  it('is started by no one of its own', async () => {
    const world = await createWorld(group);
    await stop(world);
    const own = world.management.forCaller({ trunkGroups: [group] });
    const text = 'stays disabled: stopped by a stop of its service trunk group (Platform staff)';
    await expect(own.setClientEnabled(world.clientId, true)).rejects.toThrow(text);
    await expect(own.setApiKeyEnabled(world.keyId, true)).rejects.toThrow(text);
    for (const members of [undefined, ...trunkGroupMembers]) {
      const refused = own.setTrunkGroupEnabled(group, true, { members });
      await expect(refused).rejects.toThrow('concerns every service trunk group');
    }
  });

  it.each([
    ['a name', ({ management, clientId }) => management.updateClient(clientId, { name: 'n' })],
    ['a secret', ({ management, clientId }) => management.createClientSecret(clientId, {})],
    ['a name of a key', ({ management, keyId }) => management.updateApiKey(keyId, { name: 'n' })],
    ['a value of it', ({ management, keyId }) => management.rotateApiKey(keyId, { overlap: 60 })],
  ] as const satisfies readonly (readonly [string, (world: World) => Promise<unknown>])[])(
    'is not changed by its customer, also before the pass: %s',
    async (_, change) => {
      const world = await createWorld(group);
      await world.management.setTrunkGroupEnabled(group, false);
      const own = { ...world, management: world.management.forCaller({ trunkGroups: [group] }) };
      const text = `nothing can be made in ${group}, which is stopped by a stop of its service trunk group (Platform staff)`;
      await expect(change(own)).rejects.toThrow(text);
      await expect(own.management.setClientEnabled(world.clientId, false)).resolves.toBeDefined();
    },
  );

  it('is stopped while someone changes its client between a read and the write', async () => {
    const world = await createWorld(group);
    await world.management.setTrunkGroupEnabled(group, false);
    const { setTrunkGroupEnabled } = lateManagement(world, () =>
      world.management.updateClient(world.clientId, { name: 'n' }),
    );
    await setTrunkGroupEnabled(group, false, { members: 'clients' });
    expect(kindsOf(world.clients.get(world.clientId))).toEqual(['trunk_group']);
  });

  const client = { name: 'C', serviceTrunkGroup: group, scopes: ['calls:view'] };
  const secret = 'pVb0kGYVlXUz3JYTB5wOGG3m8C9nq0xJvNq1xk2s';
  const imported = { ...client, clientId: '7abcdefghijklmnopqrstuvwxy', secret };
  it.each([
    ['a client', ({ management }) => management.createClient(client)],
    ['an import', ({ management }) => management.importClient(imported)],
    ['its check', ({ management }) => management.importClient({ ...imported, checkOnly: true })],
    [
      'an API key',
      ({ management }) => management.createApiKey({ name: 'C', serviceTrunkGroup: group }),
    ],
    ['a provider', (world) => registerOwn(world, [group])],
  ] as const satisfies readonly (readonly [string, (world: World) => Promise<unknown>])[])(
    'gets nothing new, also by the staff: %s',
    async (_, make) => {
      const world = await createWorld(group);
      await stop(world);
      const before = JSON.stringify([...world.clients, ...world.apiKeys, ...world.providers]);
      await expect(make(world)).rejects.toThrow(
        `nothing can be made in ${group}, which is stopped`,
      );
      expect(JSON.stringify([...world.clients, ...world.apiKeys, ...world.providers])).toBe(before);
      await resume(world);
      await expect(make(world)).resolves.not.toThrow();
    },
  );

  it('gets no second secret by an import', async () => {
    const world = await createWorld(group);
    await world.management.importClient(imported);
    await world.management.setTrunkGroupEnabled(group, false);
    const again = { ...imported, secondSecret: secret.toLowerCase() };
    await expect(world.management.importClient(again)).rejects.toThrow('nothing can be made in');
  });

  it('gets no provider that kept its registration waiting', async () => {
    const world = await createWorld(group);
    const { identityProviders } = world.context;
    const createIdentityProvider: typeof identityProviders.createIdentityProvider = async (one) => {
      await stop(world);
      await identityProviders.createIdentityProvider(one);
    };
    const late = { ...identityProviders, createIdentityProvider };
    const waiting = { ...world, context: { ...world.context, identityProviders: late } };
    await expect(registerOwn(waiting, [group])).rejects.toThrow('nothing can be made in');
    expect([...world.providers.keys()]).toEqual([world.issuer]);
  });

  it('keeps its provider, and gets no other one', async () => {
    const world = await createWorld(group);
    await registerOwn(world, [group]);
    await stop(world);
    const { management, ownIssuer } = world;
    for (const trunkGroups of [['tg-2002'], [group, 'tg-2002'], []]) {
      const moved = management.setProviderTrunkGroups(ownIssuer, { trunkGroups });
      await expect(moved).rejects.toThrow('nothing can be made in');
    }
  });

  it.each([
    ['before', ['tg-2002']],
    ['after', ['tg-2002']],
    ['before', [group, 'tg-2002']],
    ['after', []],
  ])('keeps it, stopped, if the stop comes %s it moves to %j', async (when, trunkGroups) => {
    const world = await createWorld(group);
    await registerOwn(world, [group]);
    const { context, ownIssuer, providers, owners } = world;
    let writes = 0;
    const put: typeof context.providerOwners.put = async (owner) => {
      writes += 1;
      if (writes === 1 && when === 'before') await stop(world);
      await context.providerOwners.put(owner);
      if (writes === 1 && when === 'after') await stop(world);
    };
    const slow = { ...context, providerOwners: { ...context.providerOwners, put } };
    const input = {
      trunkGroups,
      ...(trunkGroups.length === 0 && { allowUserWritableClaim: true }),
    };
    const moving = bindManagement(slow).setProviderTrunkGroups(ownIssuer, input);
    await expect(moving).rejects.toThrow('nothing can be made in');
    expect([...owners.values()].map((owner) => owner.trunkGroups)).toEqual([[group]]);
    expect(kindsOf(providers.get(ownIssuer))).toEqual(['trunk_group']);
    expect((await resume(world))['providers']).toEqual([ownIssuer]);
  });

  it('lets a stack change nothing, roll back, take away and delete, and give nothing', async () => {
    const { world, send } = await declareWorld();
    const [provider, key] = [world.ownIssuer, publicKey()];
    await registerOwn(world, [group]);
    grantSubject(world, provider, { erp: [group] });
    const under = { ...client, provider, externalClientId: 'erp' };
    const own = { ...client, publicKeys: [key] };
    const ask = async (ResourceProperties: object, RequestType = 'Update', id?: string) => {
      const answer = await send(
        eventOf({ RequestType, ResourceProperties, PhysicalResourceId: id }),
      );
      return answer.Status === 'FAILED' ? answer.Reason : answer.PhysicalResourceId;
    };
    const [id, other] = [await ask(own, 'Create'), await ask(under, 'Create')];
    await stop(world);
    const refused = expect.stringMatching(
      /nothing can be made in tg-1001.*staff resumes the trunk/,
    );
    for (const [given, expected] of [
      [{ ...own, scopes: ['calls:view', 'messaging:view'] }, refused],
      [{ ...own, publicKeys: [key, publicKey()] }, refused],
      [own, id],
      [{ ...own, tokenLifetime: '60', publicKeys: [] }, id],
      [{ ...own, tokenLifetime: '60' }, refused],
    ] as const) {
      expect(await ask(given, 'Update', id)).toEqual(expected);
    }
    expect(await ask(under, 'Update', other)).toBe(other);
    expect(await ask(own, 'Delete', id)).toBe(id);
    expect(await ask({ ...own, tokenLifetime: '60', publicKeys: [] }, 'Create')).toEqual(refused);
    await resume(world);
    expect(kindsOf(world.clients.get(id))).toEqual(['stack']);
  });

  it('has no client that works, in any order of a creation and the stop', async () => {
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const world = await createWorld('tg-2002');
        const { clients, trunkGroupLimits } = world.context;
        const slow = <T extends object>(store: T) =>
          Object.fromEntries(
            Object.entries(store).map(([name, run]) => [name, scheduler.scheduleFunction(run)]),
          ) as T;
        const context: ManagementContext = {
          ...world.context,
          clients: { ...slow(clients), list: () => clients.list() },
          trunkGroupLimits: slow(trunkGroupLimits),
        };
        const creating = bindManagement(context).createClient(client);
        const settled = Promise.allSettled([creating, stop({ context })]);
        await scheduler.waitFor(settled);
        const [created] = await settled;
        await pass(world, false);
        const own = [...world.clients.values()].filter((one) => one.serviceTrunkGroup === group);
        outcomes.add(`${created.status} ${own.length}`);
        expect(own.map(kindsOf)).toEqual(own.map(() => ['trunk_group']));
      }),
      { numRuns: 300 },
    );
    // The last could not be deleted again: it was stopped first.
    expect([...outcomes].sort()).toEqual(['fulfilled 1', 'rejected 0', 'rejected 1']);
  });

  it('has each record read once by a pass, and written on what the list read', async () => {
    const world = await createWorld(group);
    await world.management.setTrunkGroupEnabled(group, false);
    const find = () => Promise.reject(new Error('read again'));
    const clients = { ...world.context.clients, find };
    const noLimits = { limits: {}, hasTrunkGroupLimits: true };
    const context = restrictCaller({ ...world.context, clients }, undefined, noLimits);
    expect((await pass({ context }, false))['clients']).toEqual([world.clientId]);
  });

  it('leaves what another change overtook to the next pass', async () => {
    const world = await createWorld(group);
    await bindManagement(world.context).setTrunkGroupEnabled(group, false);
    const replace = () => Promise.reject(new ConflictError('changed'));
    const clients = { ...world.context.clients, replace };
    const found = await pass({ context: { ...world.context, clients } }, false);
    expect(found['clients']).toEqual([world.clientId]);
    expect(kindsOf(world.clients.get(world.clientId))).toEqual([]);
    expect(await pass(world, false)).toMatchObject({ clients: [world.clientId], apiKeys: [] });
  });

  it.each(['clients', 'providers'] as const)(
    'is as the next call says, if that overtakes a write of %s',
    async (members) => {
      for (const enabled of [true, false]) {
        const world = await createWorld(group);
        await registerOwn(world, [group]);
        await world.management.setTrunkGroupEnabled(group, false);
        if (enabled) await pass(world, false);
        const late = lateManagement(world, () => (enabled ? stop : resume)(world));
        const overtaken = late.setTrunkGroupEnabled(group, enabled, { members });
        await expect(overtaken).rejects.toThrow('in the meantime');
        const { clients, clientId, providers, ownIssuer } = world;
        const record = members === 'clients' ? clients.get(clientId) : providers.get(ownIssuer);
        expect(kindsOf(record)).toEqual(enabled ? ['trunk_group'] : []);
      }
    },
  );

  it('leaves a provider that others keep, if it comes while the provider moves', async () => {
    const world = await createWorld(group);
    await registerOwn(world, [group, 'tg-2002']);
    const { setProviderTrunkGroups } = lateManagement(world, () => stop(world));
    const moving = setProviderTrunkGroups(world.ownIssuer, { trunkGroups: [group] });
    await expect(moving).rejects.toThrow(ConflictError);
    expect(kindsOf(world.providers.get(world.ownIssuer))).toEqual([]);
  });

  it('does not go with a provider that is taken over after a restore brought it back', async () => {
    const world = await createWorld(group);
    await registerOwn(world, [group]);
    const { providers, ownIssuer } = world;
    const stops = { trunk_group: { at: 1, by: 'a' } };
    providers.set(ownIssuer, { ...providers.get(ownIssuer), stops } as never);
    const taken = { trunkGroups: [], allowUserWritableClaim: true };
    await world.management.setProviderTrunkGroups(ownIssuer, taken);
    expect(kindsOf(providers.get(ownIssuer))).toEqual([]);
  });

  it('ends a resume that goes on when it is stopped again', async () => {
    const world = await createWorld(group);
    await stop(world);
    const { version: ifVersion } = await world.management.findTrunkGroupLimits(group);
    await stop(world);
    const options = { members: 'clients', ifVersion } as const;
    const goOn = world.management.setTrunkGroupEnabled(group, true, options);
    await expect(goOn).rejects.toThrow(/version/);
    expect(kindsOf(world.clients.get(world.clientId))).toEqual(['trunk_group']);
  });

  it('is stopped no further by a pass that continues after it was resumed', async () => {
    const world = await createWorld(group);
    await stop(world);
    await resume(world);
    await expect(pass(world, false)).rejects.toThrow('was resumed in the meantime');
    expect(kindsOf(world.clients.get(world.clientId))).toEqual([]);
  });

  /** The world with its client, API key and own provider lost, and what restores them. */
  async function lost() {
    const world = await createWorld(group);
    await registerOwn(world, [group]);
    const { context, clients, apiKeys, providers } = world;
    let beforeWrite = async (_id: string): Promise<unknown> => undefined;
    const take = <T>(live: Map<string, T>, idOf: (one: T) => string) => {
      const stored = structuredClone([...live.values()]);
      live.clear();
      const kind = storedKind(() => stored, live, idOf);
      const create = async (one: T) => {
        await beforeWrite(idOf(one));
        await kind.create(one);
      };
      return { ...kind, create };
    };
    providers.delete(world.issuer);
    const kinds = {
      clients: take(clients, ({ clientId }) => clientId),
      apiKeys: take(apiKeys, ({ keyId }) => keyId),
      identityProviders: take(providers, ({ issuer }) => issuer),
      givenKeys: take(new Map<string, GivenKeys>(), ({ issuer }) => issuer),
    };
    const readAudit = async function* readAudit() {
      yield* structuredClone(world.audit);
    };
    const plan = { readAudit, undelete: new Set<string>(), since: world.now, dryRun: false };
    const options = () => ({ ...plan, shelf: createMemoryShelf() });
    const restore = async (before = beforeWrite) => {
      beforeWrite = before;
      return [
        ...(await restoreItems(context, restorableClients(context, kinds), options())),
        ...(await restoreItems(context, restorableApiKeys(context, kinds), options())),
        ...(await restoreProviders(context, kinds, options())),
      ];
    };
    return { ...world, restore };
  }

  it('gets nothing back by a restore until it is resumed', async () => {
    const world = await lost();
    await stop(world);
    const rows = await world.restore();
    const outcomes = (list: typeof rows) => list.map(({ outcome }) => outcome).slice(0, 3);
    expect(outcomes(rows)).toEqual(['dropped', 'dropped', 'dropped']);
    expect(rows[0]?.because[0]).toContain(`nothing can be made in ${group}`);
    await resume(world);
    expect(outcomes(await world.restore())).toEqual(['restored', 'restored', 'restored']);
  });

  it.each(['clientId', 'ownIssuer'] as const)(
    'is stopped also in what a restore wrote while the stop came: %s',
    async (name) => {
      const world = await lost();
      const id = world[name];
      await world.restore(async (written) => {
        if (written === id) await world.management.setTrunkGroupEnabled(group, false);
      });
      const record = world.clients.get(id) ?? world.providers.get(id);
      expect(kindsOf(record)).toEqual(['trunk_group']);
    },
  );

  it('is stopped also in what an earlier run of a restore wrote', async () => {
    const world = await lost();
    await world.restore();
    await world.management.setTrunkGroupEnabled(group, false);
    const { clients, clientId, apiKeys, keyId } = world;
    // Another life of its id.
    const key = apiKeys.get(keyId);
    if (key !== undefined) apiKeys.set(keyId, { ...key, serviceTrunkGroup: 'tg-2002' });
    await world.restore();
    expect(kindsOf(clients.get(clientId))).toEqual(['trunk_group']);
    expect(kindsOf(apiKeys.get(keyId))).toEqual([]);
    expect(kindsOf(world.providers.get(world.ownIssuer))).toEqual(['trunk_group']);
    // Only a pass of a resume ends it: the record of the trunk group may be lost.
    await world.management.setTrunkGroupEnabled(group, true);
    await world.restore();
    expect(kindsOf(clients.get(clientId))).toEqual(['trunk_group']);
  });
});
